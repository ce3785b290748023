// The same bits as native, and what it costs.
import {
  check, facts, figure, golden, long, open, picture, run, status, until,
} from './harness.mjs';

await run('fifty thousand triangles', async () => {
  const { page, errors } = await open('#scene=curtain&size=160&solver=mass_spring&iterations=2');
  await until(page, (s) => s.step > 3, 'it runs', 60000);
  await page.waitForTimeout(1000);
  // What the page's own thread computes: software draws here in place of a graphics card.
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return metrics.find((m) => m.name === 'TaskDuration').value;
  };
  await page.evaluate(() => {
    globalThis.pictures = 0;
    const count = () => requestAnimationFrame(() => {
      globalThis.pictures += 1;
      count();
    });
    count();
  });
  const begin = await busy();
  await page.waitForTimeout(5000);
  const pictures = await page.evaluate(() => globalThis.pictures);
  facts.pictureMs = 1000 * (await busy() - begin) / pictures;
  figure(facts.pictureMs < 12, `${(await status(page)).drawn} vertices: the page's thread computes `
    + `${facts.pictureMs.toFixed(1)} ms per picture, of ${pictures} pictures`);
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
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

  // Memory stays as it is, once as many steps are recorded as are kept.
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  const memory = async () => {
    await client.send('HeapProfiler.collectGarbage');
    const { metrics } = await client.send('Performance.getMetrics');
    const heap = metrics.find((m) => m.name === 'JSHeapUsedSize').value;
    return [...await page.evaluate(() => globalThis.pliant.memory()), heap];
  };
  if (long) await until(page, (n) => n.step > 700, 'all records are full', 120000);
  const first = await memory();
  for (let k = 0; k < (long ? 10 : 0); k += 1) {
    await page.waitForTimeout(60000);
    console.log(`     ${k + 1} min: ${(await memory()).map((n) => (n / (1 << 20)).toFixed(1))} MiB`);
  }
  if (!long) await page.waitForTimeout(5000);
  const last = await memory();
  const steps = (await status(page)).step - b.step;
  facts.memoryMegabytes = last.map((n) => n / (1 << 20));
  const flat = (k) => last[k] <= (long ? 1.02 : 1.25) * first[k] + ((long ? 2 : 64) << 20);
  check([0, 1, 2].every(flat), `memory of page, worker and scripts over ${steps} steps: `
    + `${first.map((n) => (n / (1 << 20)).toFixed(1))} then ${last.map((n) => (n / (1 << 20)).toFixed(1))} MiB`);
  check(errors.length === 0, `no errors in the console ${errors.join('; ')}`);
  await page.context().close();
});
