import type { PipelineDrift } from '../../project/model/pipeline-drift.ts';
import { loadPipelines } from '../../project/settings/pipelines.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { pipelineDrift } from '../../state/catalogue/pipeline-drift.ts';
import { readPublished } from '../../state/catalogue/read-published.ts';

/** The pipelines of a project that have changed since units of the published warehouse were loaded. */
export async function readDrift(settings: Settings): Promise<readonly PipelineDrift[]> {
  const pipelines = await loadPipelines(settings.projectDir);
  return (await readPublished(settings, (connection) => pipelineDrift(connection, pipelines))) ?? [];
}
