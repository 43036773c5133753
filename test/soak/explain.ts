import type { FaultKind } from './plan-faults.ts';

/** Nobody planted it: the machine gave this process no time, and so maybe none to others. */
export const STALL = 'the machine stalls';

/** A fault that was planted, or a stall. Times are UTC milliseconds. */
export interface PlantedFault {
  readonly kind: FaultKind | typeof STALL;
  readonly from: number;
  readonly to: number;
}

/** Something that the product, or a person who reads, found wrong. Times are UTC milliseconds. */
export interface SeenIncident {
  /** Who said so: `alert`, `status`, `run` or `people`. */
  readonly source: string;
  readonly title: string;
  /** A code of errors, or a word of the soak's own (`killed`, `some units`, `read`, `ended with 3`). */
  readonly code: string;
  /** What caused it was there between these. */
  readonly from: number;
  readonly to: number;
}

export interface Explained {
  readonly incident: SeenIncident;
  /** Undefined: nothing was planted in its time that can cause it. */
  readonly fault: PlantedFault | undefined;
}

type Kinds = readonly PlantedFault['kind'][];

const LEDGER: Kinds = ['pause postgres', 'cut postgres', STALL];
const WIRE: Kinds = ['service reset', 'service cut', 'service slow', 'restart sandbox'];
const BUSY: Kinds = ['service 429', 'service 503', 'restart sandbox'];
const PAUSES: Kinds = ['pause schedule', 'pause worker-1', 'pause worker-2', STALL];

/**
 * What each incident may come from. A code that is missing here, such as `internal` or `unreconciled`, is never the fault
 * of a disturbance, so nothing explains it.
 */
const CAUSES: Readonly<Record<string, Kinds>> = {
  service_unavailable: BUSY,
  quota: ['service 429'],
  connection: [...WIRE, ...PAUSES],
  cut_short: WIRE,
  ledger_unavailable: LEDGER,
  lease_lost: [...LEDGER, ...PAUSES],
  worker_lost: ['kill worker-1', ...PAUSES, ...LEDGER],
  killed: ['kill schedule'],
  // A process that ends by itself because it lost its lease or the ledger; systemd starts it again.
  'ended with 3': [...LEDGER, ...PAUSES],
  // A run of which some units failed: each has an incident of its own, with its code.
  'some units': [...BUSY, ...WIRE, ...LEDGER, ...PAUSES, 'kill worker-1'],
  // A page of the console that shows what the ledger has.
  read: LEDGER,
};

/** Each incident with a fault that was planted in its time and can cause it. */
export function explain(
  incidents: readonly SeenIncident[],
  faults: readonly PlantedFault[],
): readonly Explained[] {
  return incidents.map((incident) => {
    const causes = Object.hasOwn(CAUSES, incident.code) ? CAUSES[incident.code] : undefined;
    // Of several the last one, which is the nearest to what it caused.
    const fault = faults.findLast(
      ({ kind, from, to }) => causes?.includes(kind) && from <= incident.to && to >= incident.from,
    );
    return { incident, fault };
  });
}
