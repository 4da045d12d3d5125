import { lazy } from 'react'
import { useMessages } from '@/i18n/messages'
import { PartTabs } from '@/kit/part-tabs'
import { Apps } from './apps'
import { partMessages } from './messages'

const parts = {
  apps: { need: 'openApp:list', Part: Apps },
  calls: { need: 'openCall:list', Part: lazy(() => import('./calls')) },
  deliveries: { need: 'openDelivery:list', Part: lazy(() => import('./deliveries/list')) },
  door: { need: 'openDoor:get', Part: lazy(() => import('./door')) },
} as const

/** Applications that call the Open API, what they called and were told, and when it is shut. */
export default function ThirdPartyPage() {
  return <PartTabs parts={parts} labels={useMessages(partMessages)} />
}
