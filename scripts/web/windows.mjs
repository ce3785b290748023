// Keys, time, and windows of every kind.
import {
  check, click, open, picture, run, status, until,
} from './harness.mjs';

await run('keys, recorded steps, windows of other sizes', async () => {
  const { page, errors } = await open('#scene=rope');
  await until(page, (s) => s.step > 30, 'it runs');
  // Tab reaches the buttons: the third pauses.
  for (let k = 0; k < 3; k += 1) {
    await page.keyboard.press('Tab');
    await page.waitForTimeout(150);
  }
  await page.keyboard.press('Enter');
  const still = await until(page, (n) => n.paused, 'Tab and Enter pause');
  await page.keyboard.press('Escape');
  check(true, 'Tab and Enter press a button');

  // Back among recorded steps, and on to the same.
  await page.waitForTimeout(300);
  const { step, hash } = await status(page);
  const [x, y] = (await status(page)).buttons['Recorded steps'];
  await page.mouse.click(x, y);
  const back = await until(page, (n) => n.step < step, 'back in time');
  await page.keyboard.press(' ');
  const later = await until(page, (n) => n.step >= step, 'on again');
  await page.keyboard.press(' ');
  await until(page, (n) => n.paused, 'it stands still');
  for (let k = (await status(page)).step; k > step; k -= 1) {
    await page.keyboard.press(',');
    await until(page, (n) => n.step === k - 1, 'one step back');
  }
  check((await status(page)).hash === hash && later.step >= still.step,
    `from step ${step} back to ${back.step} and on again to the same hash`);

  // Where nothing is drawn, nothing is computed; then it goes on.
  await page.keyboard.press(' ');
  await until(page, (n) => !n.paused, 'it runs');
  await page.evaluate(() => {
    globalThis.kept = { ask: globalThis.requestAnimationFrame, calls: [] };
    globalThis.requestAnimationFrame = (call) => globalThis.kept.calls.push(call);
  });
  const hidden = await status(page);
  await page.waitForTimeout(6000);
  await page.evaluate(() => {
    globalThis.requestAnimationFrame = globalThis.kept.ask;
    globalThis.kept.calls.forEach((call) => requestAnimationFrame(call));
  });
  const seen = await until(page, (n) => n.step > hidden.step, 'it goes on');
  check(seen.step - hidden.step < 200, `6 s in the background took ${seen.step - hidden.step} steps`);
  await until(page, (n) => n.step > seen.step + 20, 'it goes on');

  for (const [width, height] of [[800, 500], [1500, 900], [360, 640]]) {
    await page.setViewportSize({ width, height });
    await until(page, (n) => n.pictures[0][2] <= width && n.pictures[0][2] > 0.3 * width, `${width} × ${height}`);
    await page.waitForTimeout(200);
    const size = await page.evaluate(() => [document.querySelector('canvas').width, document.querySelector('canvas').height]);
    check(size[0] === width && size[1] === height, `a window of ${width} × ${height} is filled`);
  }
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
});

await run('a scene too slow for real time', async () => {
  const { page, errors } = await open('#scene=hanging_cloth&size=40&solver=newton');
  const slow = await until(page, (s) => s.step > 1, 'a step', 60000);
  await page.waitForTimeout(1000);
  const begin = Date.now();
  await page.keyboard.press(' ');
  await until(page, (n) => n.paused, 'it stands still', 30000);
  const seconds = (Date.now() - begin) / 1000;
  check(seconds < 2 + 3e-3 * slow.ms, `steps of ${slow.ms.toFixed(0)} ms; it paused after ${seconds.toFixed(1)} s`);
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
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
  await until(page, (n) => /graphics context was lost/.test(n.message) && n.drawn > 0, 'the graphics are back', 15000);
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
