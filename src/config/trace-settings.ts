import { baseUrl, nameValues, share, words } from './kinds.js';
import { BASE_URL, choice, optional, secret, setting } from './setting.js';

const HEADERS = 'one or more name=value pairs, separated by commas';
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where traces are sent. Names and meanings as in OpenTelemetry; its SDK reads headers and sampler itself. */
export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'An OpenTelemetry collector, over HTTP. Enables traces.',
    baseUrl,
    BASE_URL,
    'no traces',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(
    'A different URL for traces.',
    baseUrl,
    BASE_URL,
    '/v1/traces under OTEL_EXPORTER_OTLP_ENDPOINT',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret('Headers sent to the collector.', nameValues, HEADERS, 'none'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secret(
    'Headers for traces only.',
    nameValues,
    HEADERS,
    'OTEL_EXPORTER_OTLP_HEADERS',
  ),
  OTEL_SERVICE_NAME: setting("The service's name in traces.", words, 'a name', 'perch'),
  OTEL_TRACES_SAMPLER: choice('Which traces are sent.', SAMPLERS, 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: optional(
    'The share of traces, for samplers that take one.',
    share,
    'a fraction from 0 to 1, such as 0.05',
    '1',
  ),
} as const;
