// The simulation, off the page's thread: commands in, events out, and time in between.
import init, { Simulator } from './pliant_viewer.js';

let simulator = null;
let memory = null;
let timer = null;
// Whether the page has seen everything and asks for more, and when it last did.
let wanted = true;
let asked = 0;
// Whether there is something for the page.
let ready = false;
const waiting = [];
// A page in the background asks for nothing: then the simulation rests.
const PATIENCE = 1000;
// Messages to itself come without the delay that browsers put on timers.
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
  if (ready && wanted) give();
  schedule();
}

function give() {
  wanted = false;
  ready = false;
  const events = simulator.take();
  postMessage({ events, used: memory.buffer.byteLength }, events.map((bytes) => bytes.buffer));
}

function command(bytes) {
  const words = simulator.send(bytes);
  if (words) postMessage({ words });
  schedule();
}

// Takes no step: of what the page asks while a long step is computed, a command must not wait for more.
function want() {
  wanted = true;
  asked = performance.now();
  if (ready) give();
  schedule();
}

async function start(module) {
  try {
    ({ memory } = await init({ module_or_path: module }));
    simulator = new Simulator();
  } catch (error) {
    // What fails in a promise does not reach the page by itself.
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
