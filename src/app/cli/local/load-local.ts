import { run as runPipelines } from '../../../etl/pipeline/run.ts';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import type { Invocation } from '../command.ts';
import type { LocalService } from './local-service.ts';

/** Loads all data of a local project that the warehouse lacks, and days that were added again. */
export async function loadLocal(
  invocation: Invocation,
  service: LocalService,
  projectId: string,
  command: string,
): Promise<RunResult> {
  const { logger, signal, progress } = invocation;
  const settings = await invocation.settings();
  const pipelines = await loadPipelines(settings.projectDir);
  return service.load(
    settings,
    (local, changed) => {
      const request = {
        command,
        pipelines,
        selection: { projects: [projectId], from: Number.NEGATIVE_INFINITY },
        reload: false,
        changed,
      };
      return withLineage(local, command, logger, signal, () =>
        runPipelines(local, request, logger, signal, progress),
      );
    },
    signal,
  );
}
