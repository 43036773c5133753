import type { Oql } from '../../api/oql/oql.ts';

/**
 * The part of a filter that concerns days: every other leaf counts as true. No node negates, so these days include
 * every row of the filter.
 */
export function scopeOfDates(oql: Oql, field: string): Oql {
  if ('field' in oql) return oql.field[0] === field ? oql : { and: [] };
  if ('and' in oql) return { and: oql.and.map((node) => scopeOfDates(node, field)) };
  return { or: oql.or.map((node) => scopeOfDates(node, field)) };
}

/** Whether some leaf of a filter is on a field. */
export function filtersOn(oql: Oql | undefined, field: string): boolean {
  if (oql === undefined) return false;
  if ('field' in oql) return oql.field[0] === field;
  return ('and' in oql ? oql.and : oql.or).some((node) => filtersOn(node, field));
}
