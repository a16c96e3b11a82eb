# A team server. Build: docker compose build. The base images are pinned to exact versions; add
# their digests if your registry keeps them.
FROM node:26.10.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm pack --pack-destination /tmp
# The image has the pinned runtime already.
RUN npm install --prefix /app --omit=dev --omit=optional --ignore-scripts /tmp/quartermaster-*.tgz

FROM node:26.10.0-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /var/lib/qm \
  && install --directory --owner=node --group=node /repository
COPY --from=build /app /app
COPY container/entry.mjs /app/entry.mjs
ENV NODE_ENV=production \
  QM_CONTAINER=1 \
  QM_HOME=/var/lib/qm \
  PATH=/app/node_modules/.bin:$PATH
USER node
WORKDIR /repository
VOLUME ["/var/lib/qm"]
EXPOSE 4242
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "/app/entry.mjs", "health"]
ENTRYPOINT ["node", "/app/entry.mjs"]
CMD ["serve"]
