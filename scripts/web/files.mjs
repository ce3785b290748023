// Files and links, in and out.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import {
  check, click, drop, folder, open, picture, run, status, until, address,
} from './harness.mjs';

await run('files', async () => {
  const { page, errors } = await open('#scene=rope');
  await until(page, (s) => s.step > 20, 'it runs');

  // An animation.
  await click(page, 'File');
  const wait = page.waitForEvent('download', { timeout: 30000 });
  await click(page, 'Export animation (GLB)');
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
  await click(page, 'Save state');
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
  const told = /step = (\d+)\nhash = "([0-9a-f]+)"/.exec(await readFile(share, 'utf8'));
  const { loaded: before } = await status(page);
  await drop(page, share);
  await until(page, (n) => n.loaded > before, 'the shared file');
  const same = await until(page, (n) => /(identical to|differs from) the shared/.test(n.message), 'it comes to where it was shared', 30000);
  check(/is bit-identical/.test(same.message), `a shared file: ${same.message}, hash ${told[2]}`);

  // So does a link, on a page that knows nothing.
  await click(page, 'Copy link');
  await until(page, () => page.url().includes('#share='), 'the link');
  const link = page.url();
  const guest = await open(link.slice(address.length));
  const there = await until(guest.page, (n) => /(identical to|differs from) the shared/.test(n.message), 'the link leads there', 30000);
  check(/is bit-identical/.test(there.message) && there.scene === 'rope', `a link of ${link.length} characters: ${there.message}`);
  check(guest.errors.length === 0, `no errors in the console ${guest.errors.join('; ')}`);
  await guest.page.context().close();
  for (const [wrong, words] of [['#share=junk', /link/], ['#scene=nowhere', /no scene \"nowhere/], ['#size=huge', /number/]]) {
    const lost = await open(wrong, {}, (n) => words.test(n.message));
    check(lost.errors.length === 0, `${wrong}: ${(await status(lost.page)).message.slice(0, 70)}`);
    await lost.page.context().close();
  }

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

  // What was exported can be dropped.
  const filming = page.waitForEvent('download', { timeout: 60000 });
  await page.keyboard.press('g');
  const film = path.join(folder, 'film.glb');
  await (await filming).saveAs(film);
  const { loaded: films } = await status(page);
  await drop(page, film);
  await click(page, 'Cloth');
  const again = await until(page, (n) => n.loaded > films && n.step > 3, 'a GLB as cloth', 30000);
  check(again.vertices > 20, `a dropped GLB is cloth: ${again.vertices} vertices`);
  await page.keyboard.press('Escape');

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
