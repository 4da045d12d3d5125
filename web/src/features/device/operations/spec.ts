import type { Code } from '@/api/codes'
import { operationKind } from './choices'

/** What an operation needs to know besides its cards. */
export type Ask = 'script' | 'apk' | 'push' | 'pull' | 'package' | 'kbit' | 'property' | 'until' | 'flags' | 'frame'

/** One kind of operation, as it is started. */
export interface Begin {
  name: Exclude<keyof typeof operationKind.value, `phone${string}`>
  kind: (typeof operationKind.list)[number]['value']
  need: Code
  asks: readonly Ask[]
  /** Interrupts users: cards in use are skipped unless it is forced. */
  disturbs: boolean
  /** Shown as a dangerous action. */
  isDangerous: boolean
  /** A reason is required. */
  wantsReason: boolean
  /** The console changes its records alone; nothing is done on the cards. */
  changesRecords: boolean
}

const { value } = operationKind

const begin = (name: Begin['name'], need: Code, more: Partial<Begin> = {}): Begin => ({
  name,
  kind: value[name],
  need,
  asks: [],
  disturbs: false,
  isDangerous: false,
  wantsReason: false,
  changesRecords: false,
  ...more,
})

const rough = { disturbs: true, isDangerous: true, wantsReason: true }
const recordsOnly = { changesRecords: true }

/** Every kind of operation on cards, in the order of the menu. The server has the last word on each. */
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
  begin('wipeStray', 'card:wipeStray', rough),
  begin('profile', 'systemImage:profile', { disturbs: true }),
  begin('drain', 'device:maintain', { ...recordsOnly, asks: ['until'], wantsReason: true }),
  begin('maintain', 'device:maintain', { ...recordsOnly, asks: ['until'], wantsReason: true }),
  begin('return', 'device:maintain', recordsOnly),
  begin('setFlags', 'device:flag', { ...recordsOnly, asks: ['flags'] }),
  begin('move', 'device:move', { ...recordsOnly, asks: ['frame'] }),
]
