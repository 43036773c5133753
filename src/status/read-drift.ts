import { loadPipelines } from '../config/pipelines.ts';
import type { Settings } from '../config/settings.ts';
import type { PipelineDrift } from '../model/pipeline-drift.ts';
import { pipelineDrift } from '../warehouse/pipeline-drift.ts';
import { readPublished } from '../warehouse/read-published.ts';

/** The pipelines of a project that have changed since units of the published warehouse were loaded. */
export async function readDrift(settings: Settings): Promise<readonly PipelineDrift[]> {
  const pipelines = await loadPipelines(settings.projectDir);
  return (await readPublished(settings, (connection) => pipelineDrift(connection, pipelines))) ?? [];
}
