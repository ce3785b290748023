// The page in a real browser: see scripts/test-web.
await import('./web/pointer.mjs');
await import('./web/files.mjs');
await import('./web/windows.mjs');
await import('./web/figures.mjs');

const { finish } = await import('./web/harness.mjs');
await finish();
