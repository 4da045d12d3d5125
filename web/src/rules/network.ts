import { required } from './texts'
import { type Reading, type Rule, type Verdict, verdictOf, violation } from './violation'

/** The most addresses that one range may hold: a range becomes that many cards. */
export const maxSpan = 65_536

/** A port: 1 to 65535. */
export const port: Rule<number> = (value) =>
  Number.isInteger(value) && value >= 1 && value <= 65_535 ? undefined : violation('port.range')

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const address = new RegExp(`^(?:${byte}\\.){3}${byte}$`)

/** An IPv4 address: four numbers from 0 to 255 without leading zeros. */
export const ipv4: Rule<string> = (text) => required(text) ?? (address.test(text) ? undefined : violation('ip.format'))

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
// What ends with a number is an address, which some resolvers read in octal and hexadecimal too.
const hostName = new RegExp(`^(?:${label}\\.)*(?=[a-z])${label}$`, 'i')
const likeIpv6 = /^[0-9a-f:.]*:[0-9a-f:.]*$/i

function isIpv6(text: string): boolean {
  if (!likeIpv6.test(text)) return false
  try {
    return new URL(`http://[${text}]/`).hostname !== ''
  } catch {
    return false
  }
}

/** A host: a name of letters, digits and hyphens, or an IP address without brackets. No port belongs to it. */
export const host: Rule<string> = (text) =>
  required(text) ?? (hostName.test(text) || address.test(text) || isIpv6(text) ? undefined : violation('host.format'))

/** The address as a number. Multiplied, not shifted: shifts are signed. */
const addressNumber = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/** How many addresses a range holds: its end is greater than its start, at most `maxSpan`. */
export function readIpRange(start: string, end: string): Reading<number> {
  const wrong = ipv4(start) ?? ipv4(end)
  if (wrong) return { violation: wrong }
  const count = addressNumber(end) - addressNumber(start) + 1
  if (count <= 1) return { violation: violation('ip.endNotGreater') }
  return count > maxSpan ? { violation: violation('ip.spanTooLarge', { max: maxSpan }) } : { value: count }
}

/** The end is greater than the start; at most `maxSpan` addresses. */
export const ipRange = (start: string, end: string): Verdict => verdictOf(readIpRange(start, end))

/** How many ports a range holds: its end is not less than its start. */
export function readPortRange(start: number, end: number): Reading<number> {
  const wrong = port(start) ?? port(end)
  if (wrong) return { violation: wrong }
  return end < start ? { violation: violation('port.endBeforeStart') } : { value: end - start + 1 }
}

/** The end is not less than the start. */
export const portRange = (start: number, end: number): Verdict => verdictOf(readPortRange(start, end))

/** The address range and the port range of Android cards hold the same number: the i-th address has the i-th port. */
export function equalSpan(startIp: string, endIp: string, startPort: number, endPort: number): Verdict {
  const addresses = readIpRange(startIp, endIp)
  if ('violation' in addresses) return addresses.violation
  const ports = readPortRange(startPort, endPort)
  if ('violation' in ports) return ports.violation
  return addresses.value === ports.value
    ? undefined
    : violation('span.unequal', { addresses: addresses.value, ports: ports.value })
}
