import { useNavigation } from 'react-router'

/** Says that the page that was asked for is on its way, if that takes long enough to be noticed. */
export function Underway() {
  const { state } = useNavigation()
  return state === 'idle' ? null : <div className="shell-underway" aria-hidden />
}
