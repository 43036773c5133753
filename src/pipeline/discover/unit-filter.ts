import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Unit } from '../../project/model/unit.ts';
import { pipelineFilter } from '../../project/model/unit-source.ts';
import type { WeekDefinition } from '../../service/api/log-monitoring.ts';
import type { Oql } from '../../service/api/oql.ts';
import { windowFilter } from './windows.ts';

/** The OQL of a unit: the pipeline's filter and, for dated sources, its window. */
export function unitFilter(pipeline: Pipeline, unit: Unit, weeks: WeekDefinition): Oql | null {
  const filter = pipelineFilter(pipeline);
  if (unit.window === null || pipeline.window === null) return filter;
  const field = pipeline.source.kind === 'ranking_performance' ? 'date' : WINDOW_FIELDS[pipeline.window];
  const window = windowFilter(field, pipeline.window, unit.window, weeks);
  return filter === null ? window : { and: [window, filter] };
}

const WINDOW_FIELDS = { day: 'day', week: 'week', month: 'month' } as const;
