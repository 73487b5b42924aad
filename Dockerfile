# syntax is that of every builder, with BuildKit or without.
#
# The jar comes from a stage that builds it (needs Maven Central), or with --build-arg JAR=context from
# node/target, where `./mvnw package` has left it.
ARG JAR=build

FROM eclipse-temurin:17.0.15_6-jdk AS build
WORKDIR /src
COPY . .
RUN ./mvnw -q -B -ntp package -pl node -am -DskipTests -Dspotless.check.skip \
 && mkdir -p /out && cp node/target/weir-node.jar /out/ && cp -r node/target/lib /out/lib

FROM eclipse-temurin:17.0.15_6-jre AS context
COPY node/target/weir-node.jar /out/
COPY node/target/lib /out/lib

FROM ${JAR} AS jar

FROM eclipse-temurin:17.0.15_6-jre
LABEL org.opencontainers.image.title="Weir node" \
      org.opencontainers.image.description="Cluster-wide throttling of APIs: one limit and one honest Retry-After" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=jar /out /opt/weir
COPY examples/mainnet.yaml examples/keys.json /opt/weir/examples/
# A volume that is mounted here begins with this owner, so that the demo's files can be written.
RUN mkdir /var/lib/weir && chown 10001:10001 /var/lib/weir
ENV WEIR_HOME=/opt/weir
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx16m", "-cp", "/opt/weir/weir-node.jar", "io.weir.node.HealthProbe"]
# Java is process 1 and hears SIGTERM itself: requests in flight finish, for at most 10 s.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=60", "-XX:+ExitOnOutOfMemoryError", "-jar", "/opt/weir/weir-node.jar"]
CMD ["node"]
