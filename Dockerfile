# docs/operate.md, "Container". A release gives the image by its digest: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24.21.0-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.types.json ./
COPY scripts/build.ts scripts/
COPY pipelines pipelines
COPY sql sql
COPY src src
RUN node scripts/build.ts && npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && ln -s /app/dist/app/cli/main.js /usr/local/bin/crawlhouse \
  && install -d -o node -g node -m 0700 /data
COPY --from=build /app/package.json /app/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY schedules.yaml LICENSE /app/
COPY --from=build /app/pipelines /app/pipelines
COPY schemas /app/schemas
COPY --from=build /app/sql /app/sql
# The user node of the image, by number for hosts that check it.
USER 1000
WORKDIR /data
VOLUME /data
ENV NODE_ENV=production
# status reads the settings, the ledger and the warehouse. It writes nothing and asks nobody.
HEALTHCHECK --interval=15m --timeout=2m --start-period=1m CMD ["crawlhouse", "status", "--json"]
ENTRYPOINT ["crawlhouse"]
CMD ["schedule"]
