import type { Code } from '@/api/codes'
import { words } from '@/api/words/OperationKind'
import type { Pair } from '@/i18n/messages'

/** An act that quick search offers beside what it found. */
export interface QuickActOf {
  kind: string
  name: 'powerCycle' | 'reboot' | 'powerOn' | 'powerOff' | 'maintain' | 'return' | 'panel' | 'rack' | 'shell'
  label: Pair
  need: Code
}

const whole = (kind: 'frame' | 'host'): QuickActOf[] => [
  { kind, name: 'powerCycle', label: words.powerCycle.label, need: 'device:power' },
  { kind, name: 'reboot', label: words.reboot.label, need: 'device:reboot' },
  { kind, name: 'maintain', label: words.maintain.label, need: 'room:maintain' },
  { kind, name: 'panel', label: ['在面板中查看', 'Show in panel'], need: 'devicePanel:view' },
]

/** What can be begun from quick search without going to a page first, the commonest first. */
export const quickActs: readonly QuickActOf[] = [
  ...whole('frame'),
  ...whole('host'),
  { kind: 'room', name: 'rack', label: ['整架新建', 'New rack'], need: 'room:create' },
  { kind: 'card', name: 'shell', label: ['打开终端', 'Open shell'], need: 'device:shell' },
]
