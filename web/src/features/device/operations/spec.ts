import { operationKind } from './choices'

/** What an operation has to know beyond its cards. */
export type Ask = 'script' | 'apk' | 'push' | 'pull' | 'package' | 'kbit' | 'property' | 'until' | 'flags' | 'frame'

/** One kind of operation, as it is begun. */
export interface Begin {
  name: keyof typeof operationKind.value
  kind: (typeof operationKind.list)[number]['value']
  need: string
  asks: readonly Ask[]
  /** Who is on a card loses it: such cards are left out unless it is forced. */
  disturbs: boolean
  /** It is red. */
  isDangerous: boolean
  /** It wants a reason. */
  wantsReason: boolean
  /** The console does it in its books; nothing is done at the cards. */
  isBooks: boolean
}

const { value } = operationKind

const begin = (name: Begin['name'], need: string, more: Partial<Begin> = {}): Begin => ({
  name,
  kind: value[name],
  need,
  asks: [],
  disturbs: false,
  isDangerous: false,
  wantsReason: false,
  isBooks: false,
  ...more,
})

const rough = { disturbs: true, isDangerous: true, wantsReason: true }
const books = { isBooks: true }

/** Every kind of operation, in the order of the menu. The server has the last word on each. */
export const begins: readonly Begin[] = [
  begin('reboot', 'device:reboot', rough),
  begin('shell', 'device:shell', { asks: ['script'] }),
  begin('screenshot', 'device:files'),
  begin('pullLog', 'device:files'),
  begin('pull', 'device:files', { asks: ['pull'] }),
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
  begin('drain', 'device:maintain', { ...books, asks: ['until'], wantsReason: true }),
  begin('maintain', 'device:maintain', { ...books, asks: ['until'], wantsReason: true }),
  begin('restore', 'device:maintain', books),
  begin('setFlags', 'device:flag', { ...books, asks: ['flags'] }),
  begin('move', 'device:move', { ...books, asks: ['frame'] }),
]
