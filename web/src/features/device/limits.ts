import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'

/** From which value on a figure is too high, as the device settings have it. */
export interface FleetLimits {
  cpu: number
  memory: number
  storage: number
  temperature: number
}

/** The limits of the fleet's figures; nothing for those who may not see the settings. */
export function useLimits(): FleetLimits | undefined {
  const enabled = useCan()('fleetSetting:get')
  const { data } = useApiQuery('fleetSettingGet', {}, { enabled, staleTime: 60_000, suppressNotice: true })
  return (
    data && {
      cpu: data.cpuPercent,
      memory: data.memoryPercent,
      storage: data.storagePercent,
      temperature: data.temperature,
    }
  )
}
