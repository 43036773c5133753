import { seededRandom } from '../support/random.ts';

/** What can go wrong, and what an operation must be for it. */
const FAULTS = {
  /** The process of the operation dies before or after its effect. */
  kill: ['file', 'sqlite', 'http', 'postgres', 'trino', 'sleep'],
  'kill after': ['file', 'sqlite', 'http', 'postgres', 'trino'],
  /** The machine loses its power: its processes die, and what was not flushed is lost or torn. */
  crash: ['file', 'sqlite', 'http', 'postgres', 'sleep'],
  'crash after': ['file', 'sqlite', 'http', 'postgres'],
  /** The process stands still for up to two minutes. */
  pause: ['file', 'sqlite', 'http', 'postgres', 'trino', 'sleep'],
  /** The disk of the machine is full for some seconds. */
  full: ['write', 'sqlite'],
  /** A part is written, then the disk is full for some seconds. */
  short: ['write'],
  /** One operation fails. */
  'input/output error': ['file'],
  /** The answer of the service: refused, late, or lost after the service has acted. */
  'service away': ['http'],
  'service error': ['http'],
  'answer lost': ['http'],
  /** The connection to PostgreSQL breaks, before or after a commit, or all connections for up to two minutes. */
  'connection lost': ['postgres'],
  'commit lost': ['commit'],
  'commit answer lost': ['commit'],
  'server away': ['postgres'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Fault = keyof typeof FAULTS;

/** A fault that happens at the first operation that fits, from a number on. */
export interface Decision {
  readonly at: number;
  readonly fault: Fault;
  /** From 0 to 1: how long it lasts, or how much of a file is left. */
  readonly amount: number;
  /** A word of the operation that it waits for; empty: any that fits. */
  readonly step: string;
}

/** Most operations are statements that ask whether there is work: each step is met as often as the others. */
const STEPS: readonly string[] = [
  ...['open', 'write', 'sync', 'rename', 'remove', 'folder', 'link', 'read', 'database'].map(
    (word) => `file ${word}`,
  ),
  ...['lock', 'begin', 'end', 'open'].map((word) => `sqlite ${word}`),
  ...['begin', 'statement', 'commit'].map((word) => `postgres ${word}`),
  ...['ask', 'create', 'alert'].map((word) => `http ${word}`),
];
const MOST = 7;
/** Operations of a common life. */
const SPAN = 1500;

/** The faults of a life; a sixth of the lives have none. */
export function decide(seed: number): readonly Decision[] {
  const random = seededRandom(seed ^ 0x5eed);
  const names = Object.keys(FAULTS) as Fault[];
  const count = random() < 1 / 6 ? 0 : 1 + Math.floor(random() * MOST);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  return Array.from({ length: count }, () => {
    const at = Math.floor(random() * random() * SPAN);
    const fault = one(names);
    const steps = STEPS.filter((step) => fits({ fault, step: '' }, step));
    const step = steps.length > 0 && random() < 0.8 ? (one(steps).split(' ')[1] ?? '') : '';
    return { at, fault, amount: random(), step };
  }).sort((a, b) => a.at - b.at);
}

/** What an operation is, from the broad to the narrow: `file write`, `postgres commit`. */
export function fits({ fault, step }: Pick<Decision, 'fault' | 'step'>, kind: string): boolean {
  const words = kind.split(' ');
  if (step !== '' && !words.includes(step)) return false;
  return (FAULTS[fault] as readonly string[]).some((word) => words.includes(word));
}
