// The simulation, off the page's thread: commands in, events out, and time in between.
import init, { Simulator } from './pliant_viewer.js';

let simulator = null;
let memory = null;
let sent = 0;
let timer = null;
const waiting = [];
// Messages to itself come without the delay that browsers put on timers.
const soon = new MessageChannel();
soon.port1.onmessage = advance;
let asked = false;

function schedule() {
  const pause = simulator.wait();
  clearTimeout(timer);
  if (pause < 0) return;
  if (pause < 4) {
    if (!asked) {
      asked = true;
      soon.port2.postMessage(0);
    }
  } else {
    timer = setTimeout(advance, pause - 2);
  }
}

function advance() {
  asked = false;
  const events = simulator.advance();
  // Now and then, how much memory is used.
  const used = sent++ % 64 ? undefined : memory.buffer.byteLength;
  if (events.length) postMessage({ events, used }, events.map((bytes) => bytes.buffer));
  schedule();
}

function command(bytes) {
  const words = simulator.send(bytes);
  if (words) postMessage({ words });
  schedule();
}

onmessage = async ({ data }) => {
  if (data.module) {
    ({ memory } = await init({ module_or_path: data.module }));
    simulator = new Simulator();
    waiting.splice(0).forEach(command);
  } else if (simulator) {
    command(data);
  } else {
    waiting.push(data);
  }
};
