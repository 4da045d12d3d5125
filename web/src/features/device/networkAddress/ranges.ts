import type { RowOf } from '@/api/call'

export type AddressRange = RowOf<'addressPlanList'>['intranet']

/** A range in one line: `10.0.0.1 – 10.0.0.9 : 5555`. */
export function rangeText({ startIp, endIp, startPort, endPort }: AddressRange): string {
  const ips = endIp && endIp !== startIp ? `${startIp} – ${endIp}` : startIp
  const ports = endPort && endPort !== startPort ? `${startPort} – ${endPort}` : String(startPort)
  return `${ips} : ${ports}`
}
