import type { FastifyInstance } from 'fastify';
import { GET_LOG_METADATA } from '../../api/data-endpoints.ts';
import { logMetadata } from '../logs/log-metadata.ts';
import { requireLogMonitoring } from '../resources/features.ts';
import { find } from '../resources/find.ts';
import type { Context } from './context.ts';
import { serve } from './serve.ts';

/** The metadata of log monitoring (api-spec.md §4.1); it is the same for events and pages. */
export function logRoutes(api: FastifyInstance, { resources, rows }: Context): void {
  serve(api, GET_LOG_METADATA, ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    requireLogMonitoring(resources, project);
    return logMetadata(resources, rows, project);
  });
}
