import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { type TracingSettings, tracingSettingsOf } from '../../src/tracing-settings.ts';

function settingsOf(env: Record<string, string>): TracingSettings | undefined {
  return tracingSettingsOf(loadConfig(env, '/srv').tracing);
}

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('tracing', () => {
  it.each([
    [{}],
    [{ ...collector, OTEL_SDK_DISABLED: 'true' }],
    [{ ...collector, OTEL_TRACES_EXPORTER: 'none' }],
  ])('is off with %j', (env) => {
    expect(settingsOf(env)).toBeUndefined();
  });

  it('cares for no other variable while it is off', () => {
    const wrong = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'sometimes' };
    expect(settingsOf(wrong)).toBeUndefined();
  });

  it.each([
    ['http://collector:4318', 'http://collector:4318/v1/traces'],
    ['http://collector:4318/', 'http://collector:4318/v1/traces'],
    ['https://collector/otlp/', 'https://collector/otlp/v1/traces'],
  ])('adds its path to the address for all signals: %s', (endpoint, url) => {
    expect(settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })?.url).toBe(url);
  });

  it('takes an address for traces alone as it is', () => {
    const url = 'http://traces:4318/here';
    expect(settingsOf({ ...collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url })?.url).toBe(url);
  });

  it('reads headers and attributes, with escapes', () => {
    const settings = settingsOf({
      ...collector,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%2Cb, x-tenant=one',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=two',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=by attribute,deployment.Environment=test',
    });
    expect(settings).toMatchObject({
      headers: { authorization: 'Bearer a,b', 'x-tenant': 'two' },
      serviceName: 'by attribute',
      attributes: { 'deployment.Environment': 'test' },
    });
    expect(settingsOf({ ...collector, OTEL_SERVICE_NAME: 'named' })?.serviceName).toBe('named');
  });

  it.each([
    [undefined, undefined, { asksCaller: true, ratio: 1 }],
    ['always_on', undefined, { asksCaller: false, ratio: 1 }],
    ['always_off', undefined, { asksCaller: false, ratio: 0 }],
    ['traceidratio', '0.25', { asksCaller: false, ratio: 0.25 }],
    ['parentbased_traceidratio', '0.1', { asksCaller: true, ratio: 0.1 }],
    ['parentbased_always_off', undefined, { asksCaller: true, ratio: 0 }],
  ])('samples as %s with %s says', (sampler, arg, sampling) => {
    const env = {
      ...collector,
      ...(sampler === undefined ? {} : { OTEL_TRACES_SAMPLER: sampler }),
      ...(arg === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: arg }),
    };
    expect(settingsOf(env)?.sampling).toEqual(sampling);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, /http:\/\/ or https:\/\/ address/],
    [{ ...collector, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /must be http\/json/],
    [{ ...collector, OTEL_TRACES_SAMPLER: 'sometimes' }, /is not known/],
    [{ ...collector, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, /0 to 1/],
    [
      { ...collector, OTEL_EXPORTER_OTLP_HEADERS: 'secret-without-name' },
      /^(?!.*secret).*name=value/,
    ],
  ])('refuses %j, without quoting it', (env, message) => {
    expect(() => settingsOf(env)).toThrow(message);
  });
});
