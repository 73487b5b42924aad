# syntax is that of every builder, with BuildKit or without.
#
# Two images: `node`, the last one, and `--target demo`, which has the demo's commands beside it. The jars come from a
# stage that builds them (needs Maven Central), or with --build-arg JAR=context from server/target and demo/target, where
# `./mvnw package` has left them.
ARG JAR=build
ARG JRE=eclipse-temurin:17.0.20.1_1-jre@sha256:34d6aaf0fa4ef553c470234ec23c32c7d5c0f370c2bd4b0bf8a16838052d85f0

FROM eclipse-temurin:17.0.20.1_1-jdk@sha256:b64592d40959b4d13b218f6b06b9ab219ff8aa3dad61efd3b5f519ba4d72ef92 AS build
WORKDIR /src
COPY . .
RUN ./mvnw -q -B -ntp package -Dquick -pl demo -am \
 && mkdir -p /out/node /out/demo \
 && cp -r server/target/quick/weir-node.jar server/target/quick/lib /out/node/ \
 && cp -r demo/target/quick/weir-demo.jar demo/target/quick/lib /out/demo/ \
 && chmod -R a+rX /out

FROM ${JRE} AS context
COPY server/target/weir-node.jar /out/node/
COPY server/target/lib /out/node/lib
COPY demo/target/weir-demo.jar /out/demo/
COPY demo/target/lib /out/demo/lib
# The image's user is another one than the builder's, who may keep files to himself.
RUN chmod -R a+rX /out

FROM ${JAR} AS jar

FROM ${JRE} AS base
LABEL org.opencontainers.image.title="Weir node" \
      org.opencontainers.image.description="Cluster-wide throttling of APIs: one limit and one honest Retry-After" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=jar /out/node /opt/weir
ENV WEIR_HOME=/opt/weir
USER 10001:10001
EXPOSE 8080 9080
# A node waits a minute for Redis; within the start period a failed check does not count.
# The shell asks by itself: a program that starts every few seconds would cost more than an idle node.
HEALTHCHECK --interval=5s --timeout=3s --start-period=2m --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9080 && printf 'GET /health/ready HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -t 2 _ status _ <&3 && [ \"$status\" = 200 ]"]

FROM base AS demo
USER root
COPY --from=jar /out/demo /opt/weir
COPY examples/mainnet.yaml examples/keys.json /opt/weir/examples/
# A volume that is mounted here begins with this owner, so that the demo's files can be written.
RUN mkdir /var/lib/weir && chown 10001:10001 /var/lib/weir
USER 10001:10001
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=60", "-XX:+ExitOnOutOfMemoryError", "-jar", "/opt/weir/weir-demo.jar"]
CMD ["demo", "--help"]

FROM base AS node
# Java is process 1 and hears SIGTERM itself: requests in flight finish, for at most 10 s.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=60", "-XX:+ExitOnOutOfMemoryError", "-jar", "/opt/weir/weir-node.jar"]
CMD ["node"]
