import { filesOfProject } from '../../answers/query/result/check-output-file.ts';
import type { Command } from '../command.ts';
import { startProjectService } from '../local/local-service.ts';
import { readyFileOf, SERVICE_FLAGS, serveUntilStopped, serviceOptions } from '../local/serve-service.ts';

export const serviceStart: Command = {
  name: 'service start',
  keepsLog: true,
  summary: "serve this project's crawls, logs and search data over HTTP",
  flags: SERVICE_FLAGS,
  async run(invocation) {
    const settings = await invocation.settings();
    const readyFile = await readyFileOf(invocation, filesOfProject(settings));
    await using service = await startProjectService(settings, serviceOptions(invocation));
    const { baseUrl: base_url, accessToken: access_token } = service;
    return await serveUntilStopped(invocation, readyFile, { base_url, access_token, pid: process.pid });
  },
};
