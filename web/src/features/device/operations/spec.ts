import { operationKind } from './choices'

/** What an operation has to know beyond its cards. */
export type Ask = 'script' | 'apk' | 'push' | 'package' | 'kbit' | 'property'

/** One kind of operation, as it is begun. */
export interface Begin {
  name: keyof typeof operationKind.value
  kind: (typeof operationKind.list)[number]['value']
  need: string
  asks: readonly Ask[]
  /** Who is on a card loses it: such cards are left out unless it is forced. */
  disturbs: boolean
  /** It wants a reason, and is red. */
  isDangerous: boolean
}

const { value } = operationKind

const begin = (name: Begin['name'], need: string, more: Partial<Begin> = {}): Begin => ({
  name,
  kind: value[name],
  need,
  asks: [],
  disturbs: false,
  isDangerous: false,
  ...more,
})

const rough = { disturbs: true, isDangerous: true }

/** Every kind of operation, in the order of the menu. The server has the last word on each. */
export const begins: readonly Begin[] = [
  begin('reboot', 'device:reboot', rough),
  begin('shell', 'device:shell', { asks: ['script'] }),
  begin('screenshot', 'device:files'),
  begin('pullLog', 'device:files'),
  begin('install', 'device:install', { asks: ['apk'] }),
  begin('uninstall', 'device:install', { asks: ['package'] }),
  begin('push', 'device:install', { asks: ['push'] }),
  begin('setProperty', 'device:configure', { asks: ['property'] }),
  begin('speedLimit', 'device:configure', { asks: ['kbit'] }),
  begin('powerOn', 'device:power'),
  begin('powerOff', 'device:power', rough),
  begin('powerCycle', 'device:power', rough),
  begin('wipe', 'device:reset', rough),
  begin('factoryReset', 'device:reset', rough),
]
