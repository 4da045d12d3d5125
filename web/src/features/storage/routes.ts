import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'

export const screens: Screen[] = [
  { ...catalogue.storageManagement, load: () => import('./management/page') },
  { ...catalogue.storageBackup, load: () => import('./backup/page') },
  { ...catalogue.machineSystem, load: () => import('./machineSystem/page') },
  { ...catalogue.storageApps, load: () => import('./apps/page') },
]
