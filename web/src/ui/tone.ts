/** What a state means to the person who reads it. Colour and icon follow, never colour alone. */
export type Tone = 'good' | 'info' | 'busy' | 'warn' | 'bad' | 'muted'
