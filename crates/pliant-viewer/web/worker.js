// The simulation, off the page's thread: commands in, events out, and time in between.
import init, { Simulator } from './pliant_viewer.js';

let simulator = null;
let memory = null;
let timer = null;
let sent = 0;
// Whether the page has seen everything and asks for more, and when it last did.
let wanted = true;
let asked = 0;
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
  const something = simulator.advance();
  if (something && wanted) give();
  schedule();
}

function give() {
  wanted = false;
  const events = simulator.take();
  // Now and then, how much memory is used.
  const used = sent++ % 64 ? undefined : memory.buffer.byteLength;
  postMessage({ events, used }, events.map((bytes) => bytes.buffer));
}

function command(bytes) {
  const words = simulator.send(bytes);
  if (words) postMessage({ words });
  schedule();
}

function want() {
  wanted = true;
  asked = performance.now();
  advance();
}

onmessage = async ({ data }) => {
  if (data.module) {
    ({ memory } = await init({ module_or_path: data.module }));
    simulator = new Simulator();
    waiting.splice(0).forEach(command);
  } else if (!simulator) {
    if (!data.want) waiting.push(data);
  } else if (data.want) {
    want();
  } else {
    command(data);
  }
};
