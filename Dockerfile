# syntax=docker/dockerfile:1.7

FROM node:22.21.1-bookworm-slim AS build
WORKDIR /perch
COPY package.json package-lock.json ./
COPY app/build ./app/build
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json LICENSE CHANGELOG.md compose.yaml ./
COPY app ./app
COPY src ./src
COPY schema ./schema
COPY adapters ./adapters
COPY demo ./demo
COPY clients ./clients
COPY docs ./docs
RUN node app/build/build.mjs

# The run-time dependencies: neither the build tools, nor the embedded Postgres (60 MB), which is optional. The image's
# database always comes from DATABASE_URL.
FROM node:22.21.1-bookworm-slim AS dependencies
WORKDIR /perch
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund

FROM node:22.21.1-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 PERCH_HOME=/var/lib/perch
WORKDIR /perch
# Written to only if PERCH_SECRET is not set: then keep it on a volume.
RUN install -d -o node -g node /var/lib/perch
COPY --from=dependencies /perch/node_modules ./node_modules
COPY --from=build /perch/dist ./dist
COPY package.json LICENSE ./
# The image's existing user. It owns nothing in /perch, so it can't change the program that it runs.
USER node
EXPOSE 4000
STOPSIGNAL SIGTERM
# 429 also counts as healthy: /healthz is under the client's public rate limit.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ status }) => process.exit(status < 500 ? 0 : 1), () => process.exit(1))"]
# Without a shell or npm in between, so that signals reach the service.
ENTRYPOINT ["node", "dist/perch.js"]
CMD ["serve"]
