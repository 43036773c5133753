import { namesMatcher } from '../../project/model/included-keys.ts';
import type { KnownList } from '../../project/model/listed.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';

const DAY = 86_400_000;

/**
 * Must a list be swept? It must the first time, every `sweepDays`, if the clock shows a time before the last sweep, and
 * if records alone can't update `raw`.
 *
 * @param pipeline the one that loads the list itself, if any does
 */
export function needsSweep(
  { swept_at }: KnownList,
  pipeline: Pipeline | undefined,
  workspaceId: string,
  scope: {
    readonly sweep: boolean;
    readonly sweepDays: number;
    readonly now: number;
    readonly loaded: { has(unit: string): boolean };
  },
): boolean {
  if (scope.sweep || swept_at === null || swept_at > scope.now) return true;
  if (scope.now - swept_at >= scope.sweepDays * DAY) return true;
  return (
    pipeline !== undefined && (!scope.loaded.has(`${pipeline.dataset}/${workspaceId}`) || !keepsIds(pipeline))
  );
}

function keepsIds({ fields: { include, exclude } }: Pipeline): boolean {
  return namesMatcher(include)('id') && !namesMatcher(exclude)('id');
}
