//! Pictures show what is there: what is near hides what is far, the camera holds everything, shadows
//! fall, and the same scene gives the same bits. Broken input is drawn as far as it goes.

use pliant_render::{
    Bounds, Lines, Mesh, Paint, Path, Picture, Renderer, Rgb, Scene, ViewSetup, Width,
};

const RED: Rgb = [220, 30, 30];
const BLUE: Rgb = [30, 60, 220];

/// A square in the plane z = `z`, two units wide.
fn square(z: f32) -> Vec<[f32; 3]> {
    vec![[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]]
}

const TRIANGLES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn is_red(color: Rgb) -> bool {
    u16::from(color[0]) > 60 + u16::from(color[1]).max(u16::from(color[2]))
}

fn is_blue(color: Rgb) -> bool {
    u16::from(color[2]) > 60 + u16::from(color[0]).max(u16::from(color[1]))
}

fn count(picture: &Picture, test: fn(Rgb) -> bool) -> usize {
    picture.pixels().iter().filter(|c| test(**c)).count()
}

fn front(bounds: &[[f32; 3]]) -> ViewSetup {
    ViewSetup::around(Bounds::of(bounds)).seen_from([0.0, 0.0, 1.0])
}

fn painted<'a>(positions: &'a [[f32; 3]], color: Rgb) -> Mesh<'a> {
    Mesh::new(positions, &TRIANGLES).paint(Paint::solid(color))
}

#[test]
fn what_is_near_hides_what_is_far_in_any_order() {
    let (near, far) = (square(0.5), square(-0.5));
    let stage = front(&[near.clone(), far.clone()].concat());
    let mut renderer = Renderer::new(200, 120);
    let orders =
        [[painted(&near, RED), painted(&far, BLUE)], [painted(&far, BLUE), painted(&near, RED)]];
    let mut centers = Vec::new();
    for meshes in orders {
        let picture = renderer.draw(&stage, &Scene { meshes: meshes.to_vec(), lines: vec![] });
        centers.push(picture.pixel(100, 60).expect("the centre"));
        // From the front the nearer of two equal squares hides the other.
        assert_eq!(count(&picture, is_blue), 0);
    }
    assert!(is_red(centers[0]));
    assert_eq!(centers[0], centers[1]);
}

#[test]
fn the_sides_have_their_own_colours() {
    let positions = square(0.0);
    let mesh = Mesh::new(&positions, &TRIANGLES).paint(Paint::Sides { front: RED, back: BLUE });
    let scene = Scene { meshes: vec![mesh], lines: vec![] };
    let mut renderer = Renderer::new(160, 120);
    let seen = |renderer: &mut Renderer, z: f32| {
        let stage = ViewSetup::around(Bounds::of(&positions)).seen_from([0.0, 0.0, z]);
        renderer.draw(&stage, &scene).pixel(80, 60).expect("the centre")
    };
    assert!(is_red(seen(&mut renderer, 1.0)));
    assert!(is_blue(seen(&mut renderer, -1.0)));
}

#[test]
fn the_camera_holds_everything_from_any_side() {
    let positions = square(0.0);
    let scene = Scene { meshes: vec![painted(&positions, RED)], lines: vec![] };
    for (width, height) in [(320, 180), (120, 240)] {
        for from in [[0.0, 0.0, 1.0], [1.0, 0.5, 1.0], [-0.3, 2.0, 0.4], [0.2, 0.1, -1.0]] {
            let stage = ViewSetup::around(Bounds::of(&positions)).seen_from(from);
            let picture = Renderer::new(width, height).draw(&stage, &scene);
            let at = |k: usize| picture.pixels()[k];
            let border = (0..width).chain((height - 1) * width..height * width);
            assert!(border.into_iter().all(|k| !is_red(at(k))), "{from:?} is cut off");
            let part = count(&picture, is_red) as f64 / (width * height) as f64;
            // measured 0.09 to 0.50
            assert!(part > 0.05, "{from:?} fills only {part}");
        }
    }
}

#[test]
fn neighbours_leave_no_gap_and_no_overlap() {
    // A fan around the centre: every edge is shared, so the disc must be closed.
    let n = 40;
    let mut positions = vec![[0.0, 0.0, 0.0]];
    let mut p = [1.0_f32, 0.0];
    for _ in 0..n {
        positions.push([p[0], p[1], 0.0]);
        // A turn by 9 degrees.
        let (c, s) = (0.987_688_36, 0.156_434_47);
        p = [c * p[0] - s * p[1], s * p[0] + c * p[1]];
    }
    let triangles: Vec<[u32; 3]> = (0..n).map(|k| [0, 1 + k, 1 + (k + 1) % n]).collect();
    let mesh = Mesh::new(&positions, &triangles).paint(Paint::solid(RED));
    let scene = Scene { meshes: vec![mesh], lines: vec![] };
    let picture = Renderer::new(300, 300).draw(&front(&positions).floating(), &scene);
    for y in 0..300 {
        let row: Vec<bool> =
            (0..300).map(|x| is_red(picture.pixel(x, y).unwrap_or([0; 3]))).collect();
        let changes = row.windows(2).filter(|w| w[0] != w[1]).count();
        assert!(changes <= 2, "row {y} is broken {changes} times");
    }
}

#[test]
fn a_shadow_falls_on_the_ground() {
    let sheet = [[-0.5, 1.0, -0.5], [0.5, 1.0, -0.5], [0.5, 1.0, 0.5], [-0.5, 1.0, 0.5]];
    let stage = ViewSetup::around(Bounds::of(&[[-1.0, 0.0, -1.0], [1.0, 1.2, 1.0]]))
        .seen_from([0.0, 0.5, 1.0])
        .light([0.0, 1.0, 0.0])
        .ground(0.0);
    let mut renderer = Renderer::new(320, 200);
    let empty = renderer.draw(&stage, &Scene::default());
    let mesh = Mesh::new(&sheet, &TRIANGLES).paint(Paint::solid(RED));
    let shaded = renderer.draw(&stage, &Scene { meshes: vec![mesh], lines: vec![] });
    let darker = |(a, b): (&Rgb, &Rgb)| !is_red(*b) && a[1] > b[1].saturating_add(30);
    let pixels = empty.pixels().iter().zip(shaded.pixels()).filter(|p| darker(*p)).count();
    // measured 3976 of 64,000
    assert!(pixels > 1000, "{pixels}");
}

#[test]
fn the_same_scene_gives_the_same_bits() {
    let positions: Vec<[f32; 3]> =
        (0..400).map(|k| [(k % 20) as f32, ((k * 7) % 13) as f32 * 0.3, (k / 20) as f32]).collect();
    let triangles: Vec<[u32; 3]> = (0..378).map(|k| [k, k + 1, k + 21]).collect();
    let scene = Scene {
        meshes: vec![Mesh::new(&positions, &triangles).wire(0.5)],
        lines: vec![Lines::new(&positions, Path::Chain)],
    };
    let stage = ViewSetup::around(Bounds::of(&positions));
    let mut renderer = Renderer::new(240, 160);
    let first = renderer.draw(&stage, &scene);
    // Another picture in between: nothing of it may stay.
    renderer.draw(&stage.floating(), &Scene::default());
    assert_eq!(first, renderer.draw(&stage, &scene));
    assert_eq!(first, Renderer::new(240, 160).draw(&stage, &scene));
}

#[test]
fn lines_are_as_wide_as_told() {
    let points = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let frame = square(0.0);
    let draw = |width: Width| {
        let lines = Lines { color: RED, width, ..Lines::new(&points, Path::Pairs(&[[0, 1]])) };
        let scene = Scene { meshes: vec![], lines: vec![lines] };
        let picture = Renderer::new(200, 200).draw(&front(&frame).floating(), &scene);
        (0..200).filter(|y| is_red(picture.pixel(100, *y).unwrap_or([0; 3]))).count()
    };
    assert!((7..=9).contains(&draw(Width::Pixels(8.0))));
    // The frame of two metres fills 200 pixels less the margin: a tenth of it is about 18.
    assert!((14..=20).contains(&draw(Width::Meters(0.2))));
    assert!(draw(Width::Pixels(0.0)) <= 2);
}

#[test]
fn broken_input_is_drawn_as_far_as_it_goes() {
    let mut positions = square(0.0);
    positions.push([f32::NAN, 0.0, 0.0]);
    positions.push([f32::INFINITY, 1.0, 0.0]);
    let triangles = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 5], [0, 1, 99], [0, 0, 0]];
    let mesh = Mesh::new(&positions, &triangles).paint(Paint::Vertices(&[RED]));
    let lines = Lines::new(&positions, Path::Chain);
    let chains = Lines::new(&positions, Path::Chains(&[2, 90]));
    let pairs = Lines::new(&positions, Path::Pairs(&[[0, 77], [0, 5], [2, 3]]));
    let scene = Scene { meshes: vec![mesh], lines: vec![lines, chains, pairs] };
    let stage = ViewSetup::around(Bounds::of(&positions));
    let picture = Renderer::new(120, 90).draw(&stage, &scene);
    assert_eq!(picture.pixels().len(), 120 * 90);
    // No bounds at all.
    let nowhere = ViewSetup::around(Bounds::default());
    Renderer::new(64, 64).draw(&nowhere, &Scene::default());
}

#[test]
fn what_passes_the_eye_is_cut_at_the_near_plane() {
    // The stage frames a small square; a long strip runs from far in front to behind the eye.
    let strip = [[-0.2, -0.2, -5.0], [0.2, -0.2, -5.0], [0.2, -0.2, 50.0], [-0.2, -0.2, 50.0]];
    let mesh = Mesh::new(&strip, &TRIANGLES).paint(Paint::solid(RED));
    let scene = Scene { meshes: vec![mesh], lines: vec![] };
    let stage = front(&square(0.0)).floating();
    let picture = Renderer::new(200, 200).draw(&stage, &scene);
    let lower = (100..200).filter(|y| is_red(picture.pixel(100, *y).unwrap_or([0; 3]))).count();
    assert!(lower > 60, "the strip reaches the lower border: {lower}");
    assert!((0..95).all(|y| !is_red(picture.pixel(100, y).unwrap_or([0; 3]))), "nothing above");
}
