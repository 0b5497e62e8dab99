/** What is used of it: the library has no types. */
declare module 'fs-native-extensions' {
  /** Locks the file of a descriptor for whoever has it open; false if another has it. */
  export function tryLock(descriptor: number): boolean;
}
