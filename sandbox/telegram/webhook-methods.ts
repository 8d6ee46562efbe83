// setWebhook, deleteWebhook, getWebhookInfo, getUpdates.

import { isIP } from 'node:net';
import type { Call, Method } from './call.ts';
import { checkLink } from './links.ts';
import { Described, Refusal, refusal, tooManyRequests } from './refusals.ts';
import type { WebhookConfig } from './webhooks.ts';

const reserved = /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|22[4-9]|2[3-5]\d)\./;
const ports = ['80', '88', '443', '8443'];

export const setWebhook: Method = (call) => {
  const { world, bot, parameters } = call;
  const url = parameters.text('url');
  if (url === '') return deleteWebhook(call);
  if (world.clock.now() < bot.webhook.changeableAt) throw tooManyRequests(1);
  bot.webhook.changeableAt = world.clock.now() + 1000;
  const config = readConfig(call, url);
  const same = JSON.stringify(config) === JSON.stringify(bot.webhook.config);
  bot.updates.choose(parameters);
  if (same && !parameters.flag('drop_pending_updates')) {
    return new Described(true, 'Webhook is already set');
  }
  bot.updates.interrupt('terminated by setWebhook request');
  if (parameters.flag('drop_pending_updates')) bot.updates.clear();
  bot.webhook.change(config);
  return new Described(true, 'Webhook was set');
};

export const deleteWebhook: Method = ({ bot, parameters }) => {
  const drop = parameters.flag('drop_pending_updates');
  if (drop) bot.updates.clear();
  if (bot.webhook.config === undefined && !drop) {
    return new Described(true, 'Webhook is already deleted');
  }
  bot.webhook.change(undefined);
  return new Described(true, 'Webhook was deleted');
};

export const getWebhookInfo: Method = ({ bot }) => bot.webhook.info();

export const getUpdates: Method = ({ bot, parameters }) => {
  if (bot.webhook.config !== undefined) {
    throw new Refusal(
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  return bot.updates.poll(parameters);
};

function readConfig({ world, parameters }: Call, url: string): WebhookConfig {
  const secret = parameters.text('secret_token');
  if (secret.length > 256) throw refusal('secret token is too long');
  if (!/^[\w-]*$/.test(secret)) throw refusal('secret token contains unallowed characters');
  checkAddress(url, world.settings.strictWebhooks);
  return {
    url,
    secret,
    maxConnections: parameters.integer('max_connections', 40, [1, 100]),
    ipAddress: parameters.text('ip_address'),
    hasCertificate: parameters.file('certificate') !== undefined,
  };
}

/** The loopback is allowed unless `strict`: people run a sandbox to try webhooks on their own machine. */
function checkAddress(address: string, strict: boolean): void {
  const url = URL.parse(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw refusal('invalid webhook URL specified');
  }
  const loopback = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname);
  if (loopback && !strict) return;
  const link = checkLink(address);
  if ('fault' in link && !loopback) throw refusal('invalid webhook URL specified');
  if (url.protocol !== 'https:') throw bad('An HTTPS URL must be provided for webhook');
  if (!ports.includes(url.port || '443')) {
    throw bad('Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
  if (url.hostname.endsWith('.invalid')) {
    throw bad('Failed to resolve host: Name or service not known');
  }
  if (url.hostname.startsWith('[')) throw bad('IPv6-only addresses are not allowed');
  const address4 = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname;
  if (isIP(address4) === 4 && reserved.test(address4))
    throw bad(`IP address ${address4} is reserved`);
}

function bad(what: string): Refusal {
  return refusal(`bad webhook: ${what}`);
}
