"""Calls Envoy's rate limit service by grpcio: the node needs --envoy-port and a service token."""

import os
import sys
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, duration_pb2, message_factory

CALLS = int(os.environ.get("WEIR_CALLS", "50"))
OVER_LIMIT = 2
# The fields of envoy.service.ratelimit.v3 that this program uses.
FIELDS = {
    "Entry": ["string key = 1", "string value = 2"],
    "Descriptor": ["repeated rls.Entry entries = 1"],
    "Request": ["string domain = 1", "repeated rls.Descriptor descriptors = 2"],
    "Status": ["int32 code = 1", "google.protobuf.Duration reset = 4"],
    "Header": ["string key = 1", "string value = 2"],
    "Response": ["int32 overall_code = 1", "repeated rls.Status statuses = 2", "repeated rls.Header headers = 3"],
}
Field = descriptor_pb2.FieldDescriptorProto
SCALARS = {"string": Field.TYPE_STRING, "int32": Field.TYPE_INT32}


def messages():
    file = descriptor_pb2.FileDescriptorProto(name="rls.proto", package="rls", syntax="proto3")
    file.dependency.append("google/protobuf/duration.proto")
    for message, fields in FIELDS.items():
        added = file.message_type.add(name=message)
        for field in fields:
            *repeated, kind, name, _, number = field.split()
            label = Field.LABEL_REPEATED if repeated else Field.LABEL_OPTIONAL
            if kind in SCALARS:
                added.field.add(name=name, number=int(number), label=label, type=SCALARS[kind])
            else:
                added.field.add(name=name, number=int(number), label=label, type_name=f".{kind}")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(duration_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_class(pool, "rls.Request"), message_class(pool, "rls.Response")


def message_class(pool, name):
    descriptor = pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


def main():
    request_class, response_class = messages()
    request = request_class(domain="edge")
    request.descriptors.add().entries.add(key="address", value="10.0.0.7")
    began = time.monotonic()
    succeeded = 0
    with grpc.insecure_channel(f"127.0.0.1:{os.environ.get('WEIR_ENVOY_PORT', '8081')}") as channel:
        limit = channel.unary_unary(
            "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
            request_serializer=request_class.SerializeToString,
            response_deserializer=response_class.FromString,
        )
        waiting = [(began, "new")] * CALLS
        while waiting:
            until, ticket = min(waiting)
            waiting.remove((until, ticket))
            time.sleep(max(0.0, until - time.monotonic()))
            answer = limit(
                request,
                timeout=30,
                metadata=[
                    ("authorization", f"Bearer {os.environ['WEIR_SERVICE_TOKEN']}"),
                    ("retry-ticket", ticket),
                ],
            )
            if answer.overall_code != OVER_LIMIT:
                succeeded += 1
                continue
            headers = {header.key.lower(): header.value for header in answer.headers}
            reset = answer.statuses[0].reset
            waiting.append(
                (
                    time.monotonic() + reset.seconds + reset.nanos / 1e9,
                    headers.get("retry-ticket", ticket),
                )
            )
    print(f"grpcio: {succeeded} of {CALLS} calls succeeded in {time.monotonic() - began:.1f} s")
    sys.exit(0 if succeeded == CALLS else 1)


main()
