/** The part of JSON Schema 2020-12 that the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  /** The meaning of each value of `enum`, for readers. Not part of JSON Schema. */
  readonly 'x-enumDescriptions'?: Readonly<Record<string, string>>;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
}

type Schemas = Readonly<Record<string, JsonSchema>>;

export interface Reference {
  readonly $ref: string;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface OpenapiMediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, OpenapiMediaType>>;
  /** The error codes that are sent with this status here. */
  readonly 'x-codes'?: readonly string[];
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (ApiParameter | Reference)[];
  readonly requestBody?: { readonly required: true; readonly content: Readonly<Record<string, OpenapiMediaType>> };
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>;
  /** The price of one item; absent if the endpoint is free. */
  readonly 'x-price'?: PriceNote;
}

/** Credits per item: full price, cached, and with `fresh`; and the parameter that bounds the number of items. */
export interface PriceNote {
  readonly unit: string;
  readonly credits: number;
  readonly hit: number;
  /** Absent if there is no such parameter. */
  readonly fresh?: number;
  readonly items: string;
}

export type Paths = Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;

export interface OpenapiDocument {
  readonly openapi: '3.1.0';
  readonly info: object;
  readonly servers: readonly { readonly url: string }[];
  readonly security: NonNullable<ApiOperation['security']>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Schemas;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly parameters: Readonly<Record<string, ApiParameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: object;
  };
}
