// The page in a real browser: a host for its files, and what every part of the test does with it.
import { createServer } from 'node:http';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const { chromium } = createRequire(`${process.env.PLIANT_TOOLS}/`)('playwright-core');
const dist = path.resolve('dist');
const pictures = process.env.PLIANT_PICTURES;
export const long = process.argv.includes('--long');
export const golden = JSON.parse(await readFile('crates/pliant-viewer/tests/hashes.json', 'utf8'));
export const facts = {};
const troubles = [];

export function check(holds, words) {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${words}`);
  if (!holds) troubles.push(words);
}

// Speed, which other programs on the machine can spoil, only fails where it is asked for.
export function figure(holds, words) {
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
export const address = `http://127.0.0.1:${server.address().port}/`;

await mkdir(pictures, { recursive: true });
export const browser = await chromium.launch({
  executablePath: process.env.PLIANT_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
    '--disable-background-networking', '--disable-component-update', '--enable-unsafe-swiftshader'],
});

export async function open(fragment = '', options = {}, ready = (s) => s.drawn > 0) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
  page.on('pageerror', (e) => errors.push(String(e)));
  page.on('requestfailed', (r) => errors.push(`${r.url()}: ${r.failure()?.errorText}`));
  await page.goto(address + fragment);
  // Patient: tests are compiled beside it, and how long it took is told apart.
  await until(page, ready, 'the scene is loaded', 90000);
  return { page, errors };
}

export const status = (page, vertex = 0) => page.evaluate((v) => globalThis.pliant?.status(v), vertex);

export async function until(page, holds, words, most = 15000, vertex = 0) {
  const end = Date.now() + most;
  for (;;) {
    const s = await status(page, vertex);
    if (s && holds(s)) return s;
    if (Date.now() > end) {
      await page.screenshot({ path: `${pictures}/in-vain.png` });
      throw new Error(`timeout waiting for: ${words}; ${JSON.stringify({ ...s, buttons: 0 })}`);
    }
    await page.waitForTimeout(50);
  }
}

export async function click(page, button) {
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

export async function picture(page, name) {
  await page.waitForTimeout(300);
  // Drawn by software on a machine that does other things as well, one may take its time.
  await page.screenshot({ path: `${pictures}/${name}.png`, timeout: 120000 });
}

export async function drop(page, file) {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await client.send('Input.dispatchDragEvent', { type, x: 600, y: 300, data });
  }
}

export const distance = (a, b) => Math.hypot(...a.map((c, k) => c - b[k]));

export const folder = path.join(tmpdir(), `pliant-web-${process.pid}`);
await mkdir(folder, { recursive: true });

// With names on the command line, only these parts.
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));

export async function run(words, body) {
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

// Says what was found, and whether all of it holds.
export async function finish() {
  await browser.close();
  server.close();
  console.log(JSON.stringify(facts));
  if (troubles.length) {
    console.error(`\n${troubles.length} failed:\n  ${troubles.join('\n  ')}`);
    process.exit(1);
  }
}
