/** Faults of the service, by the sandbox's own means. */
const SERVICE_KINDS = ['service 429', 'service 503', 'service reset', 'service cut', 'service slow'] as const;
const PROCESS_KINDS = ['kill schedule', 'pause schedule', 'restart sandbox'] as const;
/** Those that need a shared ledger in PostgreSQL. */
const SHARED_KINDS = [
  'kill worker-1',
  'pause worker-1',
  'pause worker-2',
  'pause postgres',
  'cut postgres',
] as const;

export type FaultKind =
  | (typeof SERVICE_KINDS)[number]
  | (typeof PROCESS_KINDS)[number]
  | (typeof SHARED_KINDS)[number];

export interface PlannedFault {
  readonly kind: FaultKind;
  /** Seconds after the start. */
  readonly at: number;
  /** How long it lasts; a killed process is down for so long. */
  readonly seconds: number;
}

/** Seconds that a fault lasts, from and to. A worker that is paused for more than 30 s loses its unit. */
const LASTS: Readonly<Record<FaultKind, readonly [number, number]>> = {
  'service 429': [5, 15],
  'service 503': [5, 15],
  'service reset': [5, 15],
  'service cut': [5, 15],
  'service slow': [5, 15],
  'kill schedule': [1, 4],
  'pause schedule': [3, 12],
  'restart sandbox': [1, 3],
  'kill worker-1': [1, 4],
  'pause worker-1': [3, 40],
  'pause worker-2': [3, 40],
  'pause postgres': [2, 8],
  'cut postgres': [0, 0],
};

/** In a run of fewer seconds, faults are short and come one soon after the other. */
const SHORT = 5 * 60;
const [LONG_GAP, SHORT_GAP] = [
  [15, 45],
  [2, 6],
] as const;
const LONGEST_IN_SHORT = 5;
/** The part of the time in which the schedule is killed and started again: then it lives on, so that a leak shows. */
const KILLS_UNTIL = 0.2;
/** The part of the time in which faults begin. */
const FAULTS_UNTIL = 0.88;

/**
 * Faults one after the other, of each kind in turn, in an order and at times by chance.
 *
 * @param seconds of the whole run
 * @param isShared whether there is a shared ledger, and so workers
 */
export function planFaults(seconds: number, isShared: boolean, random: () => number): PlannedFault[] {
  const kinds: readonly FaultKind[] = [...SERVICE_KINDS, ...PROCESS_KINDS, ...(isShared ? SHARED_KINDS : [])];
  const between = ([from, to]: readonly [number, number]): number => from + random() * (to - from);
  const isShort = seconds < SHORT;
  const faults: PlannedFault[] = [];
  let deck: FaultKind[] = [];
  for (let at = between(isShort ? SHORT_GAP : LONG_GAP); at < seconds * FAULTS_UNTIL; ) {
    if (deck.length === 0) deck = shuffled(kinds, random);
    const kind = deck.pop() as FaultKind;
    const wanted = between(LASTS[kind]);
    if (kind === 'kill schedule' && at + wanted > seconds * KILLS_UNTIL) continue;
    const lasts = isShort ? Math.min(wanted, LONGEST_IN_SHORT) : wanted;
    faults.push({ kind, at, seconds: lasts });
    at += lasts + between(isShort ? SHORT_GAP : LONG_GAP);
  }
  return faults;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as T);
}
