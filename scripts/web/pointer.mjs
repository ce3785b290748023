// Grabbing and pinning in the picture, and two solvers.
import {
  check, click, distance, facts, figure, open, picture, run, status, until,
} from './harness.mjs';

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
  await until(page, (n) => n.grabbed !== null, 'a vertex is grabbed');
  const before = (await status(page, middle)).vertex.place;
  await page.mouse.move(x + 60, y - 40, { steps: 4 });
  await page.mouse.move(x + 160, y - 90, { steps: 6 });
  now = await until(page, (n) => distance(n.vertex.place, before) > 0.1, 'the vertex follows', 15000, middle);
  check(true, `a dragged vertex moved ${distance(now.vertex.place, before).toFixed(2)} m`);
  await picture(page, 'dragged');
  await page.mouse.up();
  await until(page, (n) => n.grabbed === null, 'the vertex is released');

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
  await page.keyboard.press('2');
  now = await until(page, (n) => n.solver !== solver && n.step > step + 5, 'another solver');
  check(now.step > step, `digit 2 switched from ${solver} to ${now.solver} on the same state`);

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
  await click(page, 'Compare with a second solver');
  const s = await until(page, (n) => n.rival && n.pictures.length === 2, 'two pictures');
  const measured = await until(page, (n) => n.errors && n.apart > 0, 'errors are measured', 30000);
  check(s.rival !== s.solver, `A/B: ${s.solver} and ${s.rival} are ${measured.apart.toExponential(1)} m apart`);
  check(measured.errors.every(Number.isFinite), `errors ${measured.errors.map((e) => e.toExponential(1))}`);
  await page.waitForTimeout(1500);
  await picture(page, 'compare');
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
  await page.context().close();
});
