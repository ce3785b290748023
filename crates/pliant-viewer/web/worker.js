// Runs the simulation in a worker: receives commands, advances time, sends events.
import init, { Simulator } from './pliant_viewer.js';

let simulator = null;
let memory = null;
let timer = null;
// True if the page has received all events and requests more; time of the last request.
let wanted = true;
let asked = 0;
// True if events are ready for the page.
let ready = false;
const waiting = [];
// Milliseconds without a request after which the simulation pauses: the page is in the background.
const PATIENCE = 1000;
// Messages to itself, which arrive without the minimum delay of browser timers.
const soon = new MessageChannel();
soon.port1.onmessage = advance;
let coming = false;

function schedule() {
  const pause = simulator.wait();
  clearTimeout(timer);
  const forgotten = !wanted && performance.now() - asked > PATIENCE;
  if (pause < 0 || forgotten) return;
  if (pause < 4) {
    if (!coming) {
      coming = true;
      soon.port2.postMessage(0);
    }
  } else {
    timer = setTimeout(advance, pause - 2);
  }
}

function advance() {
  coming = false;
  ready = simulator.advance();
  if (ready && wanted) sendFrame();
  schedule();
}

function sendFrame() {
  wanted = false;
  ready = false;
  const events = simulator.take();
  postMessage({ events, used: memory.buffer.byteLength }, events.map((bytes) => bytes.buffer));
}

function command(bytes) {
  const message = simulator.send(bytes);
  if (message) postMessage({ message });
  schedule();
}

// Handles a request without advancing, so that commands queued during a long step are not delayed further.
function want() {
  wanted = true;
  asked = performance.now();
  if (ready) sendFrame();
  schedule();
}

async function start(module) {
  try {
    ({ memory } = await init({ module_or_path: module }));
    simulator = new Simulator();
  } catch (error) {
    // Errors in a promise do not trigger onerror of the worker.
    postMessage({ failed: String(error.message ?? error) });
    return;
  }
  waiting.splice(0).forEach(command);
}

onmessage = ({ data }) => {
  if (data.module) {
    start(data.module);
  } else if (!simulator) {
    if (!data.want) waiting.push(data);
  } else if (data.want) {
    want();
  } else {
    command(data);
  }
};
