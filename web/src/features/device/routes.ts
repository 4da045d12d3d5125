import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'

export const screens: Screen[] = [
  { ...catalogue.devicePanel, load: () => import('./panel/page') },
  { ...catalogue.deviceManagement, load: () => import('./management/page') },
  { ...catalogue.deviceAddress, load: () => import('./address/page') },
  { ...catalogue.deviceMap, load: () => import('./map/page') },
  { ...catalogue.deviceMonitoring, load: () => import('./monitoring/page') },
  { ...catalogue.networkAddress, load: () => import('./networkAddress/page') },
  { ...catalogue.bmcMapping, load: () => import('./bmcMapping/page') },
  { ...catalogue.deviceSettings, load: () => import('./settings/page') },
  { ...catalogue.discoveredDevices, load: () => import('./discovered/page') },
  { ...catalogue.deviceOperations, below: true, load: () => import('./operations/page') },
]
