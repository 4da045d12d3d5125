import { lazy } from 'react'
import { useMessages } from '@/i18n/messages'
import { PartTabs } from '@/kit/part-tabs'
import { partMessages } from './messages'
import { Rooms } from './rooms'

const parts = {
  rooms: { need: 'room:list', Part: Rooms },
  frames: { need: 'room:list', Part: lazy(() => import('./frames')) },
  hosts: { need: 'room:list', Part: lazy(() => import('./hosts')) },
  agents: { need: 'roomAgent:list', Part: lazy(() => import('./agents')) },
  tokens: { need: 'roomAgent:list', Part: lazy(() => import('./tokens')) },
} as const

/** Rooms with their carrier lines, frames and hosts, and their agents. */
export default function AddressPage() {
  return <PartTabs parts={parts} labels={useMessages(partMessages)} />
}
