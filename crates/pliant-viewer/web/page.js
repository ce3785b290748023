// Starts the worker and the viewer, passes messages between them, and says in words what fails.
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

// Shows a message instead of the picture: a blank page says nothing.
function tell(words, button) {
  const box = document.createElement('div');
  const line = document.createElement('p');
  line.textContent = words;
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

// What the viewer asks of the page.
globalThis.pliantHost = {
  post(bytes) {
    if (worker) worker.postMessage(bytes, [bytes.buffer]);
    else waiting.push(bytes);
  },
  // Once until an answer comes: a worker in a long step would find all of them waiting.
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
      handle.give(file.name, new Uint8Array(await file.arrayBuffer()));
    } catch (error) {
      handle.say(`${file.name} cannot be read: ${error.message}`, true);
    }
  }
};

function startWorker(module) {
  const made = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  const stopped = (why) => {
    tell(`The simulation stopped: ${why}. What is on the screen is lost.`, 'Start again');
  };
  made.onmessage = ({ data }) => {
    asked = false;
    if (data.failed) stopped(data.failed);
    else if (data.words) handle.say(data.words, true);
    else for (const bytes of data.events) handle.receive(bytes);
    workerMemory = data.used ?? workerMemory;
  };
  made.onerror = (event) => stopped(event.message || 'its script could not be loaded');
  made.postMessage({ module });
  return made;
}

// A card that was reset or a driver that was updated takes the picture away; the simulation goes on.
async function restoreGraphics() {
  handle.stop();
  const fresh = canvas.cloneNode(false);
  canvas.replaceWith(fresh);
  canvas = fresh;
  for (let pause = 250; pause <= 4000; pause *= 2) {
    await new Promise((done) => setTimeout(done, pause));
    try {
      await startView(true);
      handle.say('The graphics were lost and are back.', false);
      return;
    } catch (error) {
      console.warn('graphics:', error);
    }
  }
  tell('The graphics device was lost and did not come back.', 'Reload');
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

// A panic leaves no way on: say so instead of standing still.
setInterval(() => {
  const words = handle && handle.panic();
  if (words) tell(`Something went wrong in the viewer: ${words}`, 'Start again');
}, 1000);

// The program, as fast as the host lets it: some send it as another type of file, which cannot be compiled
// while it comes.
async function load() {
  const name = 'pliant_viewer_bg.wasm';
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} is not there (${answer.status}); build the page again`);
  const spare = answer.clone();
  try {
    return await WebAssembly.compileStreaming(answer);
  } catch {
    return WebAssembly.compile(await spare.arrayBuffer());
  }
}

async function main() {
  if (typeof WebAssembly !== 'object') return tell('This browser has no WebAssembly.');
  if (!document.createElement('canvas').getContext('webgl2')) {
    return tell('This browser shows no WebGL 2, which the viewer draws with. Another browser, or '
      + 'switching on its hardware acceleration, may help.');
  }
  const module = await load();
  ({ memory } = await init({ module_or_path: module }));
  handle = new Handle();
  worker = startWorker(module);
  for (const bytes of waiting.splice(0)) globalThis.pliantHost.post(bytes);
  await startView(false);
  notice.hidden = true;
  globalThis.pliant = {
    // What the viewer knows of itself, with one drawn vertex: for tests and for pages around it.
    status: (vertex = 0) => JSON.parse(handle.status(vertex) ?? 'null'),
    // Bytes of WebAssembly's memory: of the page, and of the simulation.
    memory: () => [memory.buffer.byteLength, workerMemory],
    ready: performance.now(),
  };
}

main().catch((error) => tell(`The viewer could not start: ${error.message ?? error}`, 'Try again'));
