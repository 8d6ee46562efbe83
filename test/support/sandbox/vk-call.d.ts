// The types of what tests use of vk-call, which has no types.

declare module 'vk-call' {
  interface Chain {
    append(method: string, params: object): Promise<unknown>;
    done(): Promise<unknown[]>;
  }

  export class VK {
    constructor(config: { token: string; version?: string; timeout?: number; api_url: string });
    call(method: string, params: object): Promise<unknown>;
    chain(): Chain;
  }

  export const errors: {
    readonly VKError: new (options: never) => Error;
    readonly DOMAIN_NAME: string;
    readonly TOO_MANY_REQUESTS: number;
    readonly INCORRECT_USER_ID: number;
    readonly WRONG_PARAMETER: number;
  };
}
