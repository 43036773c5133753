// Preloaded into a process: the first download ends with an error that nothing catches, of the kind that
// PLANTED_FAULT names. It stands for a fault that nobody has thought of.
import crypto from 'node:crypto';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';

let outside = false;
// A timer of nobody's work.
const timer = setInterval(() => {
  if (!outside) return;
  clearInterval(timer);
  throw new Error('planted outside of any unit');
}, 5).unref();

const FAULTS = {
  throw: () => setTimeout(() => fail()),
  rejection: () => void Promise.reject(new Error('planted')),
  event: () => setTimeout(() => new EventEmitter().emit('error', new Error('planted'))),
  outside: () => {
    outside = true;
    timer.ref();
  },
};

function fail() {
  throw new Error('planted');
}

const { createHash } = crypto;
let planted = false;
crypto.createHash = (...args) => {
  if (!planted && new Error().stack?.includes('verified-body')) {
    planted = true;
    FAULTS[process.env.PLANTED_FAULT]();
  }
  return createHash(...args);
};
syncBuiltinESMExports();
