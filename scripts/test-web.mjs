// The page in a real browser: see scripts/test-web.
import { createServer } from 'node:http';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const { chromium } = createRequire(`${process.env.PLIANT_TOOLS}/`)('playwright-core');
const dist = path.resolve('dist');
const pictures = process.env.PLIANT_PICTURES;
const long = process.argv.includes('--long');
const golden = JSON.parse(await readFile('crates/pliant-viewer/tests/hashes.json', 'utf8'));
const facts = {};
const troubles = [];

function check(holds, words) {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${words}`);
  if (!holds) troubles.push(words);
}

// Speed, which other programs on the machine can spoil, only fails where it is asked for.
function figure(holds, words) {
  if (process.argv.includes('--timed')) check(holds, words);
  else console.log(`${holds ? 'ok  ' : 'slow'} ${words}`);
}

// A static host: nothing but files.
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const server = createServer(async (request, response) => {
  const name = request.url === '/' ? '/index.html' : request.url.split('?')[0];
  try {
    const bytes = await readFile(path.join(dist, name));
    response.setHeader('Content-Type', TYPES[path.extname(name)] ?? 'application/octet-stream');
    response.end(bytes);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}/`;

await mkdir(pictures, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.PLIANT_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
    '--disable-background-networking', '--disable-component-update', '--enable-unsafe-swiftshader'],
});

async function open(fragment = '', options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
  page.on('pageerror', (e) => errors.push(String(e)));
  page.on('requestfailed', (r) => errors.push(`${r.url()}: ${r.failure()?.errorText}`));
  const begin = Date.now();
  await page.goto(address + fragment);
  await until(page, (s) => s.drawn > 0, 'the scene is loaded', 30000);
  return { page, errors, seconds: (Date.now() - begin) / 1000 };
}

const status = (page, vertex = 0) => page.evaluate((v) => globalThis.pliant?.status(v), vertex);

async function until(page, holds, words, most = 15000, vertex = 0) {
  const end = Date.now() + most;
  for (;;) {
    const s = await status(page, vertex);
    if (s && holds(s)) return s;
    if (Date.now() > end) {
      await page.screenshot({ path: `${pictures}/in-vain.png` });
      throw new Error(`waited in vain: ${words}; ${JSON.stringify({ ...s, buttons: 0 })}`);
    }
    await page.waitForTimeout(50);
  }
}

async function click(page, button) {
  await until(page, (now) => now.buttons[button], `a button ${button}`);
  // What has just appeared may still move to its place.
  let last = null;
  const s = await until(page, (now) => {
    const at = String(now.buttons[button]);
    const stands = at === last;
    last = at;
    return stands;
  }, `the button ${button} stands still`);
  await page.mouse.move(...s.buttons[button]);
  await page.mouse.down();
  await page.waitForTimeout(60);
  await page.mouse.up();
}

async function picture(page, name) {
  await page.waitForTimeout(300);
  await page.screenshot({ path: `${pictures}/${name}.png` });
}

async function drop(page, file) {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await client.send('Input.dispatchDragEvent', { type, x: 600, y: 300, data });
  }
}

const distance = (a, b) => Math.hypot(...a.map((c, k) => c - b[k]));

// With names on the command line, only these parts.
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));

async function run(words, body) {
  if (wanted.length && !wanted.some((word) => words.includes(word))) return;
  const begin = Date.now();
  try {
    await body();
    console.log(`     ${words}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  } catch (error) {
    check(false, `${words}: ${error.message}`);
  }
  // What is left open would slow the next part down.
  for (const context of browser.contexts()) await context.close();
}

const folder = path.join(tmpdir(), `pliant-web-${process.pid}`);
await mkdir(folder, { recursive: true });

await run('the first five seconds', async () => {
  const { page, errors } = await open();
  const s = await until(page, (now) => now.step > 3, 'it runs');
  facts.secondsToFirstSteps = (await page.evaluate(() => performance.now())) / 1000;
  figure(facts.secondsToFirstSteps < 5, `steps are seen ${facts.secondsToFirstSteps.toFixed(2)} s after opening`);
  check(s.scene === 'hanging_cloth' && !s.paused, 'a cloth hangs there and moves');
  const middle = Math.floor(s.drawn * 0.55);

  // Drag with the left button.
  await page.waitForTimeout(1500);
  let now = await status(page, middle);
  const [x, y] = now.vertex.at;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, (n) => n.grabbed !== null, 'a vertex is in the hand');
  const before = (await status(page, middle)).vertex.place;
  await page.mouse.move(x + 60, y - 40, { steps: 4 });
  await page.mouse.move(x + 160, y - 90, { steps: 6 });
  now = await until(page, (n) => distance(n.vertex.place, before) > 0.1, 'the vertex follows', 15000, middle);
  check(true, `a dragged vertex moved ${distance(now.vertex.place, before).toFixed(2)} m`);
  await picture(page, 'dragged');
  await page.mouse.up();
  await until(page, (n) => n.grabbed === null, 'the hand is open');

  // Pause, step, step back.
  await click(page, 'Pause');
  const still = await until(page, (n) => n.paused, 'it stands still');
  await page.waitForTimeout(300);
  const base = await status(page);
  check(base.step - still.step <= 3, 'the button pauses');
  await page.keyboard.press('.');
  const one = await until(page, (n) => n.step === base.step + 1, 'one step');
  check(one.hash !== base.hash, 'a step changes the state');
  await page.keyboard.press(',');
  const back = await until(page, (n) => n.step === base.step, 'one step back');
  check(back.hash === base.hash, `a step back gives the identical hash ${back.hash}`);
  await page.keyboard.press(' ');
  await until(page, (n) => !n.paused && n.step > base.step + 3, 'it goes on');

  // Pin with a click.
  const pins = (await status(page)).pinned;
  now = await status(page, middle);
  await page.mouse.click(...now.vertex.at);
  await until(page, (n) => n.pinned === pins + 1, 'a click pins');
  check(true, 'a click pins a vertex');

  // Another solver on the same state.
  const solver = (await status(page)).solver;
  const step = (await status(page)).step;
  await page.keyboard.press('3');
  now = await until(page, (n) => n.solver !== solver && n.step > step + 5, 'another solver');
  check(now.step > step, `digit 3 switched from ${solver} to ${now.solver} on the same state`);

  // Throw a ball.
  await page.keyboard.press('b');
  const drawn = (await status(page)).drawn;
  const rect = (await status(page)).pictures[0];
  await page.mouse.click(rect[0] + 0.5 * rect[2], rect[1] + 0.45 * rect[3]);
  await until(page, (n) => n.drawn > drawn, 'a ball flies');
  check(true, 'a ball was thrown');
  await page.waitForTimeout(700);
  await picture(page, 'ball');

  // Cut.
  await page.keyboard.press('x');
  const whole = (await status(page)).drawn;
  await page.mouse.move(rect[0] + 0.2 * rect[2], rect[1] + 0.4 * rect[3]);
  await page.mouse.down();
  await page.mouse.move(rect[0] + 0.8 * rect[2], rect[1] + 0.45 * rect[3], { steps: 10 });
  await page.mouse.up();
  now = await until(page, (n) => n.drawn !== whole || /cut|tear|split/i.test(n.message), 'the cut');
  check(now.drawn > whole, `a stroke cuts the cloth: ${whole} then ${now.drawn} vertices`);
  await picture(page, 'cut');
  await page.keyboard.press('d');

  // Orbit and zoom.
  const seen = (await status(page, 0)).vertex.at;
  await page.mouse.move(rect[0] + 60, rect[1] + 200);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(rect[0] + 160, rect[1] + 230, { steps: 5 });
  await page.mouse.up({ button: 'right' });
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(400);
  const turned = (await status(page, 0)).vertex.at;
  check(distance(seen, turned) > 10, 'the right button turns, the wheel zooms');
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
  await page.context().close();
});

await run('A/B', async () => {
  const { page, errors } = await open('#scene=hanging_cloth');
  await until(page, (s) => s.step > 5, 'it runs');
  await click(page, 'Run a second solver beside the first');
  const s = await until(page, (n) => n.rival && n.pictures.length === 2, 'two pictures');
  const measured = await until(page, (n) => n.errors && n.apart > 0, 'errors are measured', 30000);
  check(s.rival !== s.solver, `A/B: ${s.solver} and ${s.rival} are ${measured.apart.toExponential(1)} m apart`);
  check(measured.errors.every(Number.isFinite), `errors ${measured.errors.map((e) => e.toExponential(1))}`);
  await page.waitForTimeout(1500);
  await picture(page, 'compare');
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
  await page.context().close();
});

await run('files', async () => {
  const { page, errors } = await open('#scene=rope');
  await until(page, (s) => s.step > 20, 'it runs');

  // An animation.
  await click(page, 'File');
  const wait = page.waitForEvent('download', { timeout: 30000 });
  await click(page, 'Export an animation (GLB)');
  const download = await wait;
  const bytes = await readFile(await download.path());
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + view.getUint32(12, true))));
  const whole = view.getUint32(0, true) === 0x46546c67 && view.getUint32(8, true) === bytes.length;
  check(whole && json.meshes.length > 0 && json.animations.length > 0,
    `${download.suggestedFilename()}: ${bytes.length} bytes of glTF with ${json.meshes.length} mesh`);

  // A state, and on from it.
  await page.keyboard.press(' ');
  await until(page, (n) => n.paused, 'it stands still');
  await page.waitForTimeout(300);
  const kept = await status(page);
  const saving = page.waitForEvent('download');
  await click(page, 'Save the state');
  const state = path.join(folder, (await (await saving).suggestedFilename()));
  await (await saving).saveAs(state);
  await page.keyboard.press('r');
  await until(page, (n) => n.step === 0, 'the start');
  await drop(page, state);
  await until(page, (n) => n.step >= kept.step, 'the saved state');
  check(true, 'a saved state is loaded again');

  // A shared scene gives the same again.
  const sharing = page.waitForEvent('download');
  await page.keyboard.press('u');
  const share = path.join(folder, 'shared.toml');
  await (await sharing).saveAs(share);
  check((await readFile(share, 'utf8')).length > 20, 'a file to share is saved');

  // A mesh becomes cloth, then a solid.
  const obj = path.join(folder, 'tent.obj');
  await writeFile(obj, tent());
  for (const role of ['Cloth', 'Soft solid']) {
    const { loaded } = await status(page);
    await drop(page, obj);
    await click(page, role);
    const s = await until(page, (n) => n.loaded > loaded && n.step > 5, `the mesh as ${role}`, 30000);
    check(s.vertices > 20 && s.notes > 0, `a dropped OBJ is ${role}: ${s.vertices} vertices, ${s.notes} lines of report`);
    await picture(page, `dropped-${role === 'Cloth' ? 'cloth' : 'solid'}`);
    await page.keyboard.press('Escape');
  }

  // What is damaged is said, and nothing changes.
  for (const [name, text] of [['bad.obj', 'f 1 2 3\nv nan\n'], ['bad.toml', 'this is = = no scene'], ['bad.pliant', 'junk']]) {
    const file = path.join(folder, name);
    await writeFile(file, text);
    const was = await status(page);
    await drop(page, file);
    if (name.endsWith('obj')) await click(page, 'Cloth');
    const s = await until(page, (n) => n.message !== was.message && n.message !== '', `a message on ${name}`);
    check(s.loaded === was.loaded && s.drawn === was.drawn, `${name}: ${s.message.slice(0, 90)}`);
  }

  // A screenshot of its own.
  const shooting = page.waitForEvent('download');
  await page.keyboard.press('i');
  const shot = await readFile(await (await shooting).path());
  check(shot.subarray(1, 4).toString() === 'PNG' && shot.length > 20000, `a screenshot of ${shot.length} bytes`);
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
  await page.context().close();
});

await run('the same bits as native', async () => {
  for (const { scene, solver, steps, hash } of golden) {
    const { page, errors } = await open(`#scene=${scene}&solver=${solver}&steps=${steps}`);
    const s = await until(page, (n) => n.step === steps, `${steps} steps of ${scene}`, 60000);
    check(s.hash === hash, `${scene} under ${solver}: ${s.hash} after ${steps} steps, native ${hash}`);
    check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
    await page.context().close();
  }
});

await run('the curtain', async () => {
  const { page, errors } = await open('#scene=curtain&size=81&solver=mass_spring&iterations=10&speed=max');
  await until(page, (s) => s.step > 20, 'it runs', 30000);
  const a = await status(page);
  const begin = Date.now();
  await page.waitForTimeout(5000);
  const b = await status(page);
  facts.curtainStepsPerSecond = (b.step - a.step) / ((Date.now() - begin) / 1000);
  facts.curtainMs = b.mean_ms;
  facts.curtainPicturesPerSecond = b.fps;
  figure(facts.curtainStepsPerSecond >= 30,
    `the curtain of ${b.vertices} vertices: ${facts.curtainStepsPerSecond.toFixed(0)} steps/s, ${b.mean_ms.toFixed(1)} ms each, ${b.fps.toFixed(0)} pictures/s`);
  await picture(page, 'curtain');

  // Memory stays as it is.
  const memory = () => page.evaluate(() => globalThis.pliant.memory());
  const first = await memory();
  await page.waitForTimeout(long ? 600000 : 5000);
  const last = await memory();
  const steps = (await status(page)).step - b.step;
  facts.memoryMegabytes = last.map((n) => n / (1 << 20));
  const limit = long ? 1.1 : 1.25;
  check(last[0] <= limit * first[0] && last[1] <= limit * first[1] + (64 << 20),
    `memory over ${steps} steps: ${first.map((n) => n >> 20)} then ${last.map((n) => n >> 20)} MiB`);
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
  await page.context().close();
});

await run('small screens, touch, night, lost graphics', async () => {
  const { page, errors } = await open('#scene=flag_in_wind', {
    viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true,
  });
  await until(page, (s) => s.step > 20, 'it runs', 30000);
  const now = await until(page, (n) => n.vertex?.at, 'a vertex', 5000, 300);
  const client = await page.context().newCDPSession(page);
  const touch = (type, x, y) => client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  const [x, y] = now.vertex.at;
  await touch('touchStart', x, y);
  await until(page, (n) => n.grabbed !== null, 'a finger holds a vertex');
  await touch('touchMove', x - 20, y + 60);
  await touch('touchMove', x - 40, y + 120);
  await page.waitForTimeout(300);
  await touch('touchEnd');
  await until(page, (n) => n.grabbed === null, 'the finger is lifted');
  check(true, 'a finger drags a vertex');
  await click(page, 'Solver');
  await picture(page, 'phone');
  await page.keyboard.press('l');
  await picture(page, 'phone-dark');

  await page.evaluate(() => document.querySelector('canvas').getContext('webgl2')
    .getExtension('WEBGL_lose_context').loseContext());
  await until(page, (n) => /graphics were lost/.test(n.message) && n.drawn > 0, 'the graphics are back', 15000);
  const lost = await status(page);
  await until(page, (n) => n.step > lost.step + 5, 'it goes on');
  check(true, 'lost graphics come back with a message, and the simulation goes on');
  await picture(page, 'restored');
  const real = errors.filter((e) => !/CONTEXT_LOST|context lost/i.test(e));
  check(real.length === 0, `no errors in the console ${real.join('; ')}`);
  await page.context().close();

  const small = await open('#scene=cloth_on_ball', { viewport: { width: 800, height: 600 }, colorScheme: 'dark' });
  await until(small.page, (s) => s.step > 60 || s.contacts > 20, 'it falls', 30000);
  await small.page.keyboard.press('c');
  await picture(small.page, 'small-dark');
  await small.page.keyboard.press('s');
  await small.page.keyboard.press('w');
  await picture(small.page, 'strain');
  await small.page.keyboard.press('?');
  await picture(small.page, 'help');
  check(small.errors.length === 0, `no errors in the console ${small.errors.join('; ')}`);
  await small.page.context().close();
});

await browser.close();
server.close();
console.log(JSON.stringify(facts));
if (troubles.length) {
  console.error(`\n${troubles.length} failed:\n  ${troubles.join('\n  ')}`);
  process.exit(1);
}

// A tent of 12 × 12 squares, with a seam that is there twice.
function tent() {
  const n = 12;
  let text = 'o tent\n';
  for (let j = 0; j <= n; j += 1) {
    for (let i = 0; i <= n; i += 1) {
      const [u, v] = [i / n - 0.5, j / n - 0.5];
      text += `v ${u} ${0.5 - Math.abs(u) - Math.abs(v) * 0.5} ${v}\n`;
    }
  }
  const at = (i, j) => j * (n + 1) + i + 1;
  for (let j = 0; j < n; j += 1) {
    for (let i = 0; i < n; i += 1) text += `f ${at(i, j)} ${at(i, j + 1)} ${at(i + 1, j + 1)} ${at(i + 1, j)}\n`;
  }
  // A floor, so that it can be filled.
  for (let j = 0; j <= n; j += 1) for (let i = 0; i <= n; i += 1) text += `v ${i / n - 0.5} -0.6 ${j / n - 0.5}\n`;
  const low = (i, j) => (n + 1) ** 2 + at(i, j);
  for (let j = 0; j < n; j += 1) {
    for (let i = 0; i < n; i += 1) text += `f ${low(i, j)} ${low(i + 1, j)} ${low(i + 1, j + 1)} ${low(i, j + 1)}\n`;
  }
  for (let k = 0; k < n; k += 1) {
    text += `f ${at(k, 0)} ${at(k + 1, 0)} ${low(k + 1, 0)} ${low(k, 0)}\n`;
    text += `f ${at(k + 1, n)} ${at(k, n)} ${low(k, n)} ${low(k + 1, n)}\n`;
    text += `f ${at(0, k + 1)} ${at(0, k)} ${low(0, k)} ${low(0, k + 1)}\n`;
    text += `f ${at(n, k)} ${at(n, k + 1)} ${low(n, k + 1)} ${low(n, k)}\n`;
  }
  return text;
}
