import type { Alert } from './alert.ts';
import type { OpenIncident } from './incident.ts';

/** An alert that has not reached its target yet. */
export interface Undelivered {
  readonly id: number;
  /** The id of a target. */
  readonly target: string;
  readonly alert: Alert;
}

/** The changes of a run. */
export interface AlertChange {
  readonly opened: readonly OpenIncident[];
  /** Keys. */
  readonly closed: readonly string[];
  readonly alerts: readonly Omit<Undelivered, 'id'>[];
}

/** The open incidents that alerts were sent for, and the alerts that are not delivered yet. */
export interface AlertStore extends AsyncDisposable {
  incidents(): Promise<OpenIncident[]>;
  /** Makes a change in one exclusive transaction. */
  change(plan: (open: readonly OpenIncident[]) => AlertChange): Promise<void>;
  /** In the order in which they came. */
  undelivered(): Promise<Undelivered[]>;
  delivered(id: number): Promise<void>;
  /** Runs `deliver`, unless another process delivers at the moment: two would deliver an alert twice. */
  deliverAlone(deliver: () => Promise<void>): Promise<void>;
}
