import type { Schedule } from '../../project/settings/schedules.ts';
import { nextFiring } from './next-firing.ts';

/** When each schedule fires next, by its cron expression alone. */
export function upcoming(
  schedules: readonly Schedule[],
  now: number,
): { name: string; next_at: string | null }[] {
  return schedules.map(({ name, cron, time_zone }) => {
    const at = nextFiring(cron, time_zone, now);
    return { name, next_at: at === null ? null : new Date(at).toISOString() };
  });
}
