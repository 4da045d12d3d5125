import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'
import { asks } from '@/api/page-call'

export const screens: Screen[] = [
  {
    ...catalogue.devicePanel,
    calls: () => [asks('fleetTree', { query: { whole: true } })],
    load: () => import('./panel/page'),
  },
  { ...catalogue.deviceManagement, load: () => import('./management/page') },
  { ...catalogue.deviceAddress, load: () => import('./address/page') },
  { ...catalogue.deviceMap, calls: () => [asks('fleetMap', {})], load: () => import('./map/page') },
  {
    ...catalogue.deviceMonitoring,
    calls: () => [asks('fleetTree', { query: {} })],
    load: () => import('./monitoring/page'),
  },
  { ...catalogue.networkAddress, load: () => import('./networkAddress/page') },
  { ...catalogue.bmcMapping, load: () => import('./bmcMapping/page') },
  { ...catalogue.deviceSettings, calls: () => [asks('fleetSettingGet', {})], load: () => import('./settings/page') },
  { ...catalogue.discoveredDevices, load: () => import('./discovered/page') },
  { ...catalogue.deviceOperations, below: true, load: () => import('./operations/page') },
]
