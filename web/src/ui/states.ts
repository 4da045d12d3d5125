/** The states of a card as they look: the token of the colour in `states.css`, and a sign, so that neither is alone. */
export const stateLooks = {
  idle: { token: 'idle', sign: '○' },
  inUse: { token: 'use', sign: '●' },
  maintenance: { token: 'maint', sign: 'M' },
  fault: { token: 'fault', sign: '×' },
  upgrading: { token: 'up', sign: '↑' },
  offline: { token: 'off', sign: '–' },
  unknown: { token: 'unk', sign: '?' },
} as const

/** A state that has a look of its own. */
export type State = keyof typeof stateLooks
