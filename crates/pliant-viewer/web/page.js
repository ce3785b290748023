// Starts the worker and the viewer, passes messages between them, and reports errors.
import init, { Handle } from './pliant_viewer.js';

const notice = document.getElementById('notice');
const chooser = document.getElementById('file');
let canvas = document.getElementById('view');
let handle = null;
let worker = null;
let memory = null;
let workerMemory = 0;
let asked = false;
const waiting = [];

// Shows a message in place of the view.
function showOverlay(text, button) {
  const box = document.createElement('div');
  const line = document.createElement('p');
  line.textContent = text;
  box.append(line);
  if (button) {
    const again = document.createElement('button');
    again.textContent = button;
    again.onclick = () => location.reload();
    box.append(again);
  }
  notice.replaceChildren(box);
  notice.hidden = false;
}

// Services of the page for the viewer.
globalThis.pliantHost = {
  post(bytes) {
    if (worker) worker.postMessage(bytes, [bytes.buffer]);
    else waiting.push(bytes);
  },
  // At most one request is pending: during a long step the requests would queue up in the worker.
  want() {
    if (!worker || asked) return;
    asked = true;
    worker.postMessage({ want: true });
  },
  download(name, bytes) {
    const address = URL.createObjectURL(new Blob([bytes]));
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  },
  choose() {
    chooser.value = '';
    chooser.click();
  },
  address: () => location.href.split('#')[0],
  showLink: (link) => history.replaceState(null, '', link),
};

chooser.onchange = async () => {
  for (const file of chooser.files) {
    try {
      handle.open_file(file.name, new Uint8Array(await file.arrayBuffer()));
    } catch (error) {
      handle.show_message(`cannot read ${file.name}: ${error.message}`, true);
    }
  }
};

function startWorker(module) {
  const made = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  const stopped = (why) => {
    showOverlay(`The simulation stopped: ${why}. Its state is lost.`, 'Restart');
  };
  made.onmessage = ({ data }) => {
    asked = false;
    if (data.failed) stopped(data.failed);
    else if (data.message) handle.show_message(data.message, true);
    else for (const bytes of data.events) handle.receive(bytes);
    workerMemory = data.used ?? workerMemory;
  };
  made.onerror = (event) => stopped(event.message || 'cannot load worker.js');
  made.postMessage({ module });
  return made;
}

// Restores the view after a lost graphics context (reset device, updated driver); the simulation continues.
async function restoreGraphics() {
  handle.stop();
  const fresh = canvas.cloneNode(false);
  canvas.replaceWith(fresh);
  canvas = fresh;
  for (let pause = 250; pause <= 4000; pause *= 2) {
    await new Promise((done) => setTimeout(done, pause));
    try {
      await startView(true);
      handle.show_message('The graphics context was lost and has been restored.', false);
      return;
    } catch (error) {
      console.warn('graphics:', error);
    }
  }
  showOverlay('The graphics context was lost and cannot be restored.', 'Reload');
}

async function startView(again) {
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    restoreGraphics();
  }, { once: true });
  await handle.start(canvas, location.hash, again);
  canvas.focus();
}

// Keys work wherever the page has the focus.
addEventListener('keydown', (event) => {
  if (document.activeElement === document.body) {
    canvas.focus();
    canvas.dispatchEvent(new KeyboardEvent('keydown', event));
  }
});
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => event.preventDefault());
addEventListener('hashchange', () => location.reload());

// Reports a panic, after which the viewer cannot continue.
setInterval(() => {
  const message = handle && handle.panic();
  if (message) showOverlay(`Internal error: ${message}`, 'Restart');
}, 1000);

// Loads the program. Streaming compilation fails where the host sends another MIME type.
async function load() {
  const name = 'pliant_viewer_bg.wasm';
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`cannot load ${name} (${answer.status}); rebuild the page`);
  const spare = answer.clone();
  try {
    return await WebAssembly.compileStreaming(answer);
  } catch {
    return WebAssembly.compile(await spare.arrayBuffer());
  }
}

async function main() {
  if (typeof WebAssembly !== 'object') return showOverlay('This browser does not support WebAssembly; use a current browser.');
  if (!document.createElement('canvas').getContext('webgl2')) {
    return showOverlay('WebGL 2 is not available. Enable hardware acceleration in the settings of the '
      + 'browser, or use another browser.');
  }
  const module = await load();
  ({ memory } = await init({ module_or_path: module }));
  handle = new Handle();
  worker = startWorker(module);
  for (const bytes of waiting.splice(0)) globalThis.pliantHost.post(bytes);
  await startView(false);
  notice.hidden = true;
  globalThis.pliant = {
    // Status of the viewer and the position of a drawn vertex, for tests and embedding pages.
    status: (vertex = 0) => JSON.parse(handle.status(vertex) ?? 'null'),
    // Bytes of WebAssembly's memory: of the page, and of the simulation.
    memory: () => [memory.buffer.byteLength, workerMemory],
    ready: performance.now(),
  };
}

main().catch((error) => showOverlay(`Cannot start the viewer: ${error.message ?? error}`, 'Retry'));
